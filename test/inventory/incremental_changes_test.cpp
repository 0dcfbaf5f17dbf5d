#include "inventory/incremental_changes.h"

#include "fake/facts.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::inventory {
namespace {

constexpr const char* kConfig = R"(
  - name: a.io/serial
    groups: [{match: {subsystem: tty}, id: $(name)}]
  - name: a.io/adapter
    groups: [{match: {glob: /dev/serial/*}, id: $(name)}]
  - name: a.io/red
    groups: [{match: {subsystem: tty, name: "red*"}}]
  - name: a.io/card
    groups: [{match: {subsystem: sound}, by: all, size: 1+}]
)";

class IncrementalChangesTest : public testing::Test {
 protected:
  IncrementalChangesTest() { changes_.mark_applied(true); }

  void apply(const DeviceFacts& facts) {
    const DeviceFactsPtr kept = std::make_shared<const DeviceFacts>(facts);
    changes_.note(devices_, kept->key);
    devices_.erase(kept->key);
    devices_.emplace(kept->key, KnownDevice{kept, matches_of(*plan_, kept)});
  }

  void remove(const std::string& key) {
    changes_.note(devices_, key);
    devices_.erase(key);
  }

  /// The changed candidates as "resource: -old +new"; "all" if a full pass is necessary.
  std::vector<std::string> take_changes() {
    const auto candidates = changes_.candidates(devices_);
    changes_.mark_applied(!candidates);
    if (!candidates) return {"all"};
    std::vector<std::string> texts;
    for (const CandidateChange& change : *candidates) {
      texts.push_back(std::to_string(change.resource) + ":" +
                      (change.was ? " -" + change.was->id : "") +
                      (change.now ? " +" + change.now->id : ""));
    }
    return texts;
  }

  /// Expects a full pass after the device is added, and after it is removed.
  void expect_full_pass(const DeviceFacts& facts) {
    apply(facts);
    EXPECT_EQ(take_changes(), std::vector<std::string>{"all"});
    remove(facts.key);
    EXPECT_EQ(take_changes(), std::vector<std::string>{"all"});
  }

  static DeviceFacts tty(const std::string& name, std::optional<uint32_t> minor = {}) {
    DeviceFacts facts = serial(name, "");
    if (minor) facts.number = DeviceNumber{.block = false, .major = 4, .minor = *minor};
    return facts;
  }

  rules::PlanPtr plan_ = plan_of(kConfig);
  DeviceTable devices_;
  IncrementalChanges changes_;
};

TEST_F(IncrementalChangesTest, ApplyToSingleDeviceUnits) {
  EXPECT_EQ(take_changes(), Strings{});
  apply(tty("one", 1));
  apply(tty("two", 2));
  EXPECT_EQ(take_changes(), (Strings{"0: +one", "0: +two"}));
  apply(tty("one", 3));
  remove(tty("two").key);
  EXPECT_EQ(take_changes(), (Strings{"0: -one +one", "0: -two"}));
  apply(tty("three", 2));  // This device gets the number of a removed one.
  EXPECT_EQ(take_changes(), Strings{"0: +three"});
  apply(tty("three", 2));
  remove(tty("three").key);
  apply(usb_child("block", "sda", "1"));
  EXPECT_EQ(take_changes(), Strings{"0: -three"});
}

TEST_F(IncrementalChangesTest, FallBackToFullPassIfTwoRulesMatch) {
  expect_full_pass(tty("red1"));
  apply(tty("blue"));
  EXPECT_EQ(take_changes(), Strings{"0: +blue"});
}

TEST_F(IncrementalChangesTest, FallBackToFullPassForGroupedDevices) {
  expect_full_pass(sound("pcm1"));
}

TEST_F(IncrementalChangesTest, FallBackToFullPassIfDeviceAndPathAreOneNode) {
  apply(tty("one", 1));
  EXPECT_EQ(take_changes(), Strings{"0: +one"});
  DeviceFacts other_name = found("/dev/serial/*", "/dev/serial/first");
  other_name.number = tty("one", 1).number;
  apply(other_name);
  EXPECT_EQ(take_changes(), Strings{"all"});
  remove(tty("one", 1).key);
  EXPECT_EQ(take_changes(), Strings{"all"}) << "the other one is offered now";
  other_name.number->minor = 5;
  apply(other_name);
  EXPECT_EQ(take_changes(), Strings{"1: -first +first"});
  apply(tty("one", 1));
  EXPECT_EQ(take_changes(), Strings{"0: +one"});
}

TEST_F(IncrementalChangesTest, FallBackToFullPassForManyChanges) {
  for (int i = 0; i < 64; ++i) apply(tty("a" + std::to_string(i)));
  EXPECT_EQ(take_changes().size(), 64U);
  for (int i = 0; i < 65; ++i) apply(tty("b" + std::to_string(i)));
  EXPECT_EQ(take_changes(), Strings{"all"});
}

/// Tests the lists that result from incremental changes.
TEST(IncrementalChangeOfInventory, KeepsListsOfOtherResources) {
  Inventory inventory(plan_of(kConfig));
  inventory.apply(shared(serial("one", "")));
  inventory.apply(shared(found("/dev/serial/*", "/dev/serial/first")));
  inventory.resolve({});
  const auto before = snapshots(inventory.last());
  inventory.apply(shared(serial("two", "")));
  inventory.resolve({});
  const auto after = snapshots(inventory.last());
  EXPECT_EQ(units(inventory.last()), (Strings{"one", "two"}));
  EXPECT_EQ(before[0]->units.begin().shared(), after[0]->units.begin().shared());
  EXPECT_EQ(before[1], after[1]);
}

TEST(IncrementalChangeOfInventory, DetectsDuplicateId) {
  Inventory inventory(plan_of("  - {name: a.io/serial, match: {subsystem: tty}, id: one}\n"));
  inventory.apply(shared(serial("one", "")));
  inventory.resolve({});
  inventory.apply(shared(serial("two", "")));
  inventory.resolve({});
  EXPECT_EQ(refusals(inventory.last()),
            Strings{"0 /sys/devices/usb/two [one]: the id 'one' is also the id of "
                    "/sys/devices/usb/one, which is already listed"});
  inventory.remove(serial("one", "").key);
  inventory.resolve(Inventory::Time(minutes(1)));
  EXPECT_EQ(devices_of(inventory.last(), "one"), Strings{"two"});
  EXPECT_EQ(refusals(inventory.last()), Strings{});
}

}  // namespace
}  // namespace patchbay::inventory
