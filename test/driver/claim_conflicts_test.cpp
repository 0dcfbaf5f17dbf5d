#include "driver/claim_conflicts.h"

#include <gmock/gmock.h>

#include "driver/claim_fixture.h"

namespace patchbay::driver {
namespace {

using testing::IsEmpty;
using Texts = std::map<std::string, std::vector<std::string>>;

const ClaimPod kPod{.name = "p", .uid = "pod-1"};

/// A ResourceClaim lab/UID of the Pod, with one disk.
ClaimRecord claim_of(const std::string& uid, const std::string& unit) {
  ClaimRecord record = prepared({disk("fast", unit)}, uid);
  record.name = uid;
  record.pods = {kPod};
  return record;
}

Texts conflicts(const std::vector<ClaimRecord>& claims) {
  ClaimRecords records;
  for (const ClaimRecord& claim : claims) records[claim.uid] = claim;
  return find_claim_conflicts(records);
}

TEST(ClaimConflicts, DifferentDevicesAtOnePath_AreReportedOnce) {
  EXPECT_EQ(conflicts({claim_of("a", "zram0"), claim_of("b", "zram1")}),
            (Texts{{"a",
                    {"Pod lab/p: ResourceClaims lab/a and lab/b give different content at "
                     "/dev/disk0: write $(claim) in containerPath"}}}));
}

TEST(ClaimConflicts, EachPairPathAndVariableHasAText) {
  ClaimRecord a = claim_of("a", "zram0");
  ClaimRecord b = claim_of("b", "zram0");
  ClaimRecord c = claim_of("c", "zram1");
  a.devices[0].mounts = {{.host_path = "/srv/a", .container_path = "/srv", .read_only = true}};
  b.devices[0].mounts = {{.host_path = "/srv/b", .container_path = "/srv", .read_only = true}};
  a.envs = {{"fast", {{"DISK", "zram0"}, {"LAB", "berlin"}}}};
  b.envs = {{"fast", {{"DISK", "zram1"}, {"LAB", "berlin"}, {"OTHER", "x"}}}};
  const std::string ab = "Pod lab/p: ResourceClaims lab/a and lab/b give different content ";
  const std::string ac = "Pod lab/p: ResourceClaims lab/a and lab/c give different content ";
  const std::string bc = "Pod lab/p: ResourceClaims lab/b and lab/c give different content ";
  const std::string at_disk = "at /dev/disk0: write $(claim) in containerPath";
  EXPECT_EQ(conflicts({a, b, c}),
            (Texts{{"a",
                    {ab + "at /srv: write $(claim) in containerPath",
                     ab + "for the variable DISK: write $(claim) in the name", ac + at_disk}},
                   {"b", {bc + at_disk}}}));
}

/// A device node and a mount of it are different content only if the paths of the host differ.
TEST(ClaimConflicts, EqualContent_IsNone) {
  EXPECT_THAT(conflicts({claim_of("a", "zram0"), claim_of("b", "zram0")}), IsEmpty());
  ClaimRecord b = claim_of("b", "zram1");
  b.devices[0].nodes[0].container_path = "/dev/disk1";
  EXPECT_THAT(conflicts({claim_of("a", "zram0"), b}), IsEmpty());
}

/// The containers of a Pod can have one request each.
TEST(ClaimConflicts, ARequestWithTheSameContentHidesNoOther) {
  ClaimRecord a = claim_of("a", "zram0");
  ClaimRecord b = claim_of("b", "zram0");
  a.envs = {{"fast", {{"DISK", "x"}}}};
  b.envs = {{"fast", {{"DISK", "x"}}}, {"slow", {{"DISK", "y"}}}};
  EXPECT_EQ(conflicts({a, b}),
            (Texts{{"a",
                    {"Pod lab/p: ResourceClaims lab/a and lab/b give different content for the "
                     "variable DISK: write $(claim) in the name"}}}));
}

/// Pods of one name can follow one another.
TEST(ClaimConflicts, OnlyOnePodCanHaveThem) {
  const ClaimRecord a = claim_of("a", "zram0");
  ClaimRecord b = claim_of("b", "zram1");
  b.pods = {{.name = "p", .uid = "pod-2"}};
  EXPECT_THAT(conflicts({a, b}), IsEmpty());
  b.pods.push_back(kPod);
  EXPECT_EQ(conflicts({a, b}).size(), 1U);
  b.pods = {};
  EXPECT_THAT(conflicts({a, b}), IsEmpty());
}

TEST(ClaimConflicts, ReleasedResourceClaimsAreOmitted) {
  const ClaimRecord a = claim_of("a", "zram0");
  ClaimRecord b = claim_of("b", "zram1");
  const std::vector<std::pair<ClaimPhase, size_t>> table{{ClaimPhase::preparing, 1},
                                                         {ClaimPhase::prepared, 1},
                                                         {ClaimPhase::releasing, 0},
                                                         {ClaimPhase::release_failed, 0}};
  for (const auto& [phase, count] : table) {
    b.phase = phase;
    EXPECT_EQ(conflicts({a, b}).size(), count) << word_of(phase);
  }
}

/// Both texts go to a terminal.
TEST(ClaimConflicts, TextsArePrintable) {
  ClaimRecord a = claim_of("a", "zram0");
  ClaimRecord b = claim_of("b", "zram1");
  for (ClaimRecord* record : {&a, &b}) {
    record->devices[0].nodes[0].container_path = "/dev/\x1b[2J";
    record->pods[0].name = "\n";
  }
  EXPECT_EQ(conflicts({a, b}),
            (Texts{{"a",
                    {"Pod lab/\\x0a: ResourceClaims lab/a and lab/b give different content at "
                     "/dev/\\x1b[2J: write $(claim) in containerPath"}}}));
}

}  // namespace
}  // namespace patchbay::driver
