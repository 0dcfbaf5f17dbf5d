#include "driver/preparation.h"

#include <gmock/gmock.h>

#include "base/text.h"
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
           Row{ClaimState::unfinished, find_units, release},
           Row{ClaimState::prepared, answer, release},
           Row{ClaimState::releasing, ClaimAction::fail, release},
           Row{ClaimState::release_failed, ClaimAction::fail, succeed},
           Row{ClaimState::of_other_driver, ClaimAction::fail, succeed},
           Row{ClaimState::unreadable, ClaimAction::fail, remove},
       }) {
    EXPECT_EQ(first_action(ClaimCall::prepare, row.state), row.on_prepare)
        << static_cast<int>(row.state);
    EXPECT_EQ(first_action(ClaimCall::unprepare, row.state), row.on_unprepare)
        << static_cast<int>(row.state);
  }
}

class ClaimStateTest : public testing::Test {
 protected:
  ClaimRecord& add(const std::string& uid, ClaimPhase phase) {
    ClaimRecord record = prepared({}, uid);
    record.phase = phase;
    return stored_.records[uid] = std::move(record);
  }
  [[nodiscard]] ClaimState state(const std::string& uid, const std::string& boot = "boot-1",
                                 const std::string& driver = "patchbay.lab.example.com") const {
    return claim_state(stored_, {.driver = driver, .uid = uid, .namespace_name = {}, .name = {}},
                       boot);
  }
  StoredClaims stored_;
};

TEST_F(ClaimStateTest, FollowsFromTheRecord) {
  add("a", ClaimPhase::prepared);
  add("b", ClaimPhase::preparing);
  add("c", ClaimPhase::releasing);
  add("d", ClaimPhase::release_failed);
  stored_.unreadable["e"] = {.error = {"damaged"}};
  EXPECT_EQ(state("a"), ClaimState::prepared);
  EXPECT_EQ(state("b"), ClaimState::unfinished);
  EXPECT_EQ(state("c"), ClaimState::releasing);
  EXPECT_EQ(state("d"), ClaimState::release_failed);
  EXPECT_EQ(state("e"), ClaimState::unreadable);
  EXPECT_EQ(state("f"), ClaimState::none);
  EXPECT_EQ(state("a", "boot-1", "other.example.com"), ClaimState::of_other_driver);
}

TEST_F(ClaimStateTest, AfterARebootAPreparedOneIsUnfinished) {
  add("a", ClaimPhase::prepared);
  add("b", ClaimPhase::releasing);
  EXPECT_EQ(state("a", "boot-2"), ClaimState::unfinished);
  EXPECT_EQ(state("b", "boot-2"), ClaimState::releasing);
}

TEST_F(ClaimStateTest, FaultOfPrepareSaysWhatToDo) {
  add("a", ClaimPhase::release_failed).failure = "exec /usr/bin/wipe: exit code 1";
  stored_.unreadable["e"] = {.error = {"damaged"}};
  const auto fault = [&](const std::string& uid, ClaimState state) {
    return prepare_fault(stored_, uid, state).message;
  };
  EXPECT_EQ(fault("a", ClaimState::releasing),
            "ResourceClaim lab/disk: its devices are being released; the kubelet calls again");
  EXPECT_EQ(fault("a", ClaimState::release_failed),
            "ResourceClaim lab/disk: its devices cannot be released (exec /usr/bin/wipe: exit code "
            "1); repair the cause, then delete the Pod and create it again");
  EXPECT_EQ(fault("a", ClaimState::of_other_driver),
            "ResourceClaim lab/disk: the driver patchbay.lab.example.com has prepared it; use one "
            "ResourceClaim for each driver");
  EXPECT_EQ(fault("e", ClaimState::unreadable), "damaged");
}

class OccupiedTest : public testing::Test {
 protected:
  /// Adds a record of another ResourceClaim, lab/UID.
  ClaimRecord& add(const std::string& uid, std::vector<RecordedDevice> devices) {
    ClaimRecord record = prepared(std::move(devices), uid);
    record.name = uid;
    return stored_.records[uid] = std::move(record);
  }
  /// Why a ResourceClaim cannot have these devices; empty: it can.
  [[nodiscard]] std::string reason(std::vector<RecordedDevice> devices) const {
    const auto free = check_unoccupied(prepared(std::move(devices)), stored_);
    return free ? "" : free.error().message;
  }
  StoredClaims stored_;
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

TEST_F(OccupiedTest, UnreadableRecordOccupiesTheDevicesOfItsSpec) {
  stored_.unreadable["e"] = {
      .error = {"state of a ResourceClaim /x/e.json: malformed"},
      .spec = ClaimSpecNames{.driver = "d", .devices = {"zram-zram0-1a2b3c4d"}}};
  EXPECT_EQ(reason({disk("a", "zram0")}),
            "device zram-zram0-1a2b3c4d: may be in use: state of a ResourceClaim /x/e.json: "
            "malformed");
  EXPECT_EQ(reason({disk("a", "zram1")}), "");
}

TEST_F(OccupiedTest, UnreadableRecordWithoutASpecOccupiesAllDevices) {
  stored_.unreadable["e"] = {.error = {"state of a ResourceClaim /x/e.json: malformed"}};
  EXPECT_EQ(reason({disk("a", "zram0")}),
            "a device may be in use: state of a ResourceClaim /x/e.json: malformed, and its CDI "
            "spec is gone");
  RecordedDevice admin = disk("a", "zram0");
  admin.keys.clear();
  EXPECT_EQ(reason({admin}), "");
}

class HeldUnitsTest : public testing::Test {
 protected:
  static rules::PlanPtr plan(const std::string& driver) {
    auto plan = std::make_shared<rules::Plan>();
    auto resource = std::make_shared<rules::ResourcePlan>();
    resource->name = "lab.example.com/zram";
    resource->driver = driver;
    plan->resources = {resource};
    return plan;
  }
  /// "UNIT of RESOURCE: DEVICES by HOLDER, for_all_names" of the only held unit, or "none".
  static std::string held(const ClaimRecord& record, const std::string& driver) {
    const auto units = held_units({{record.uid, record}}, *plan(driver), "boot-1");
    if (units.empty()) return "none";
    const auto& unit = units.at(0);
    return unit.name.second + " of " + unit.name.first + ": " + join(unit.devices, " ") + " by " +
           unit.holder + (unit.for_all_names ? ", for all names" : "");
  }
};

TEST_F(HeldUnitsTest, UnitThatTheSameDriverPublishesIsHeldForOtherNames) {
  const ClaimRecord record = prepared({disk("a", "zram0")});
  const std::string unit =
      "zram0 of lab.example.com/zram: /sys/devices/virtual/block/zram0 by ResourceClaim lab/disk";
  EXPECT_EQ(held(record, record.driver), unit);
  EXPECT_EQ(held(record, "other.example.com"), unit + ", for all names");
  EXPECT_EQ(held(record, ""), unit + ", for all names") << "a device plugin";
}

TEST_F(HeldUnitsTest, FailedReleaseHoldsItsUnitForAllNames) {
  ClaimRecord record = prepared({disk("a", "zram0")});
  record.phase = ClaimPhase::release_failed;
  record.failure = "exit code 1";
  EXPECT_EQ(held(record, record.driver),
            "zram0 of lab.example.com/zram: /sys/devices/virtual/block/zram0 by ResourceClaim "
            "lab/disk (its release failed: exit code 1), for all names");
}

TEST_F(HeldUnitsTest, RecordOfAnEarlierBootHoldsNothing) {
  ClaimRecord record = prepared({disk("a", "zram0")});
  record.boot_id = "boot-0";
  EXPECT_EQ(held(record, ""), "none");
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
