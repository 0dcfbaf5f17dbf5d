// Tests corner cases that docs/configuration.md describes.
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "fake/facts.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::inventory {
namespace {

/// A resource with cards as units. A card can have sound devices.
const std::string kGpus =
    "    match: {subsystem: video4linux}\n"
    "    by: $(usb.socket)\n"
    "    members: {sound: {match: {subsystem: sound}, size: 0+}}\n";

class CornerCasesTest : public testing::Test {
 protected:
  void start(const std::string& keys) { inventory_.emplace(plan_of("  - name: a.io/x\n" + keys)); }
  void add(const DeviceFacts& facts) { inventory_->apply(shared(facts)); }
  const Resolution& resolve() { return inventory_->resolve(kStart); }

  std::optional<Inventory> inventory_;
};

TEST_F(CornerCasesTest, FallbackReplacesMissingMember) {
  start(kGpus +
        "    devices: []\n"
        "    envs: {WITH: $(sound.name), SOUND: \"$(sound.name:-none)\"}\n");
  add(video("video0", "1-1"));
  add(video("video1", "1-2"));
  add(sound("pcm1", "1-2"));
  EXPECT_EQ(envs_of(allocated(resolve(), {"1-1"})), Strings{"SOUND=none"});
  EXPECT_EQ(envs_of(allocated(resolve(), {"1-1", "1-2"})),
            (Strings{"SOUND=none,pcm1", "WITH=pcm1"}));
}

TEST_F(CornerCasesTest, EqualConstantOfSeveralGroupsIsAddedOnce) {
  start(
      "    groups:\n"
      "      - {match: {static: a}, devices: [/dev/null], envs: {SAME: x, OTHER: a}}\n"
      "      - {match: {static: b}, devices: [/dev/null], envs: {SAME: x, OTHER: b}}\n");
  add(named("a"));
  add(named("b"));
  const auto both = allocated(resolve(), {"a", "b"});
  EXPECT_EQ(envs_of(both), (Strings{"OTHER=a,b", "SAME=x"}));
  EXPECT_EQ(nodes_of(both), Strings{"/dev/null"});
  EXPECT_EQ(envs_of(allocated(resolve(), {"b"})), (Strings{"OTHER=b", "SAME=x"}));
}

TEST_F(CornerCasesTest, OptionalEntryConflictsAlsoIfItsPathIsAbsent) {
  start(
      "    match: {static: a}\n"
      "    devices: [/dev/null, {hostPath: /dev/absent, containerPath: /dev/null, optional: "
      "true}]\n");
  add(named("a"));
  EXPECT_EQ(units(resolve()), Strings{});
  EXPECT_EQ(
      refusals(resolve()),
      Strings{
          "0 static:a [a]: two entries at the container path /dev/null: device /dev/null (rw) and "
          "device /dev/absent (rw)"});
}

TEST_F(CornerCasesTest, EarlierGroupClaimsDeviceOfLaterGroup) {
  start(
      "    groups:\n"
      "      - match: {subsystem: video4linux}\n"
      "        by: $(usb.socket)\n"
      "        members: {sound: {match: {subsystem: sound}}}\n"
      "      - {match: {subsystem: sound}, id: $(name)}\n");
  add(sound("pcm0", "1-1"));
  EXPECT_EQ(units(resolve()), Strings{"pcm0"});
  add(video("video0", "1-1"));
  EXPECT_EQ(units(resolve()), (Strings{"1-1", "pcm0: the device belongs to another unit now"}));
  EXPECT_EQ(refusals(resolve()), Strings{});
}

}  // namespace
}  // namespace patchbay::inventory
