#include "driver/preparation.h"

#include <gmock/gmock.h>

#include "driver/claim_fixture.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::driver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Every cell of the table.
TEST(FirstAction, FollowsFromCallAndState) {
  struct Row {
    ClaimState state;
    ClaimAction on_prepare;
    ClaimAction on_unprepare;
  };
  using enum ClaimAction;
  for (const Row& row : {
           Row{ClaimState::none, read_claim, succeed},
           Row{ClaimState::unfinished, find_units, remove},
           Row{ClaimState::prepared, answer, remove},
           Row{ClaimState::unreadable, ClaimAction::fail, remove},
       }) {
    EXPECT_EQ(first_action(ClaimCall::prepare, row.state), row.on_prepare)
        << static_cast<int>(row.state);
    EXPECT_EQ(first_action(ClaimCall::unprepare, row.state), row.on_unprepare)
        << static_cast<int>(row.state);
  }
}

TEST(ClaimStateOf, FollowsFromTheRecord) {
  StoredClaims stored;
  ClaimRecord record = prepared({}, "a");
  stored.records = {{"a", record}};
  record.phase = ClaimPhase::preparing;
  stored.records.emplace("b", record);
  stored.unreadable.emplace("c", Error{"damaged"});
  EXPECT_EQ(claim_state(stored, "a", "boot-1"), ClaimState::prepared);
  EXPECT_EQ(claim_state(stored, "b", "boot-1"), ClaimState::unfinished);
  EXPECT_EQ(claim_state(stored, "a", "boot-2"), ClaimState::unfinished);
  EXPECT_EQ(claim_state(stored, "c", "boot-1"), ClaimState::unreadable);
  EXPECT_EQ(claim_state(stored, "d", "boot-1"), ClaimState::none);
}

class OccupiedTest : public testing::Test {
 protected:
  /// Adds a record of another ResourceClaim, lab/UID.
  ClaimRecord& add(const std::string& uid, std::vector<RecordedDevice> devices) {
    ClaimRecord record = prepared(std::move(devices), uid);
    record.name = uid;
    return records_[uid] = std::move(record);
  }
  /// Why a ResourceClaim cannot have these devices; empty: it can.
  [[nodiscard]] std::string reason(std::vector<RecordedDevice> devices) const {
    const auto free = check_unoccupied(prepared(std::move(devices)), records_);
    return free ? "" : free.error().message;
  }
  ClaimRecords records_;
};

TEST_F(OccupiedTest, OtherDevicesDoNotMatter) {
  add("other", {disk("a", "zram1"), disk("b", "zram2")});
  EXPECT_EQ(reason({disk("a", "zram0"), disk("b", "zram3")}), "");
}

/// The forced deletion of a Pod frees its devices for the scheduler while its container runs.
TEST_F(OccupiedTest, DeviceOfAnotherResourceClaim_IsOccupied) {
  add("other", {disk("a", "zram1"), disk("b", "zram0")});
  EXPECT_EQ(reason({disk("x", "zram3"), disk("y", "zram0")}),
            "device zram-zram0-1a2b3c4d (/sys/devices/virtual/block/zram0): in use by "
            "ResourceClaim lab/other, as zram-zram0-1a2b3c4d; delete the Pods that use that "
            "ResourceClaim");
}

TEST_F(OccupiedTest, HardwareCountsNotNames) {
  RecordedDevice renamed = disk("a", "zram0");
  renamed.device = "old-name";
  add("other", {renamed});
  EXPECT_THAT(reason({disk("a", "zram0")}), testing::HasSubstr("lab/other, as old-name;"));
  RecordedDevice same_name = disk("a", "zram1");
  same_name.keys = {"/sys/devices/another"};
  EXPECT_EQ(reason({same_name}), "");
}

/// Its steps use the device.
TEST_F(OccupiedTest, PreparingCounts) {
  add("other", {disk("a", "zram0")}).phase = ClaimPhase::preparing;
  EXPECT_NE(reason({disk("a", "zram0")}), "");
}

/// No container of an earlier boot runs, and disks can have swapped their numbers.
TEST_F(OccupiedTest, EarlierBootDoesNotCount) {
  add("other", {disk("a", "zram0")}).boot_id = "boot-0";
  EXPECT_EQ(reason({disk("a", "zram0")}), "");
}

TEST_F(OccupiedTest, OwnRecordDoesNotCount) {
  add(kUid, {disk("a", "zram0")});
  EXPECT_EQ(reason({disk("a", "zram0")}), "");
}

TEST_F(OccupiedTest, AdministrativeAccessOccupiesNothing) {
  RecordedDevice admin = disk("a", "zram0");
  admin.keys.clear();
  add("other", {disk("a", "zram0")});
  EXPECT_EQ(reason({admin}), "");
  add("other", {admin});
  EXPECT_EQ(reason({disk("a", "zram0")}), "");
}

class ExclusiveKeysTest : public testing::Test {
 protected:
  /// The keys of the only unit of a resource with these keys, for a device.
  std::vector<std::string> keys_of(const DeviceFacts& facts, const std::string& keys) {
    inventory::Inventory inventory(inventory::plan_of("  - name: a.io/x\n    id: one\n" + keys));
    inventory.apply(inventory::shared(facts));
    const auto& snapshot = *inventory.resolve(inventory::kStart).resources.at(0).snapshot;
    if (snapshot.units.size() != 1) return {"no unit"};
    return exclusive_keys(*snapshot.resource, *snapshot.units[0].members);
  }
};

TEST_F(ExclusiveKeysTest, AreThePathAndTheNumber) {
  DeviceFacts facts = inventory::serial("ttyUSB0", "S");
  facts.number = {.block = false, .major = 188, .minor = 0};
  EXPECT_THAT(keys_of(facts, "    match: {subsystem: tty}\n"),
              ElementsAre("/sys/devices/usb/ttyUSB0", "char 188:0"));
}

TEST_F(ExclusiveKeysTest, SharedResource_HasNone) {
  EXPECT_THAT(keys_of(inventory::serial("ttyUSB0", "S"),
                      "    match: {subsystem: tty}\n    claim: shared\n"),
              IsEmpty());
}

/// A record with such a path must be the same after a restart.
TEST_F(ExclusiveKeysTest, AnyPathIsStoredAndReadAgain) {
  const auto keys = keys_of(inventory::found("/srv/lab/*", "/srv/lab/\xff\n"),
                            "    match: {glob: /srv/lab/*}\n    devices: []\n");
  EXPECT_THAT(keys, ElementsAre("/srv/lab/\\xff\\x0a"));
  RecordedDevice device = disk("a", "zram0");
  device.keys = keys;
  const auto read = read_claim_record(to_text(prepared({device})));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->devices.at(0).keys, keys);
}

}  // namespace
}  // namespace patchbay::driver
