#include <map>

#include "inventory/inventory_fixture.h"
#include "inventory/path_queries.h"

namespace patchbay::inventory {
namespace {

class DeviceNodesTest : public testing::Test {
 protected:
  DeviceNodesTest()
      : inventory_(
            plan_of("  - name: a.io/s\n"
                    "    match: {subsystem: tty}\n"
                    "    id: $(name)\n"
                    "    devices: [{hostPath: $(link.by-id), containerPath: /dev/u$(slot)},\n"
                    "              {hostPath: /dev/spare, optional: true}, /dev/kfd]\n")) {
    DeviceFacts facts = serial("ttyUSB0", "A");
    facts.number = DeviceNumber{false, 188, 0};
    inventory_.apply(shared(facts));
    nodes_ = {{"/dev/serial/by-id/ttyUSB0", {false, 188, 0}}, {"/dev/kfd", {false, 235, 0}}};
  }

  /// The changed device node as "reason [devices]"; empty if none has changed.
  std::string changed(const Strings& ids = {"ttyUSB0"}) {
    const Snapshot& snapshot = *inventory_.resolve(kStart).resources.at(0).snapshot;
    const auto allocation = allocate(snapshot, ids, [](const std::string&, bool) { return true; });
    EXPECT_TRUE(allocation);
    const auto found = find_changed_node(snapshot, ids, *allocation,
                                         [this](const std::string& path) -> Result<DeviceNumber> {
                                           ++lookups_[path];
                                           const auto node = nodes_.find(path);
                                           if (node == nodes_.end())
                                             return fail(path + " does not exist");
                                           return node->second;
                                         });
    return found ? found->reason + " [" + join(found->devices, " ") + "]" : "";
  }

  Inventory inventory_;
  std::map<std::string, DeviceNumber> nodes_;
  std::map<std::string, int> lookups_;
};

TEST_F(DeviceNodesTest, AreCheckedOnce) {
  EXPECT_EQ(changed(), "");
  EXPECT_EQ(lookups_,
            (std::map<std::string, int>{{"/dev/kfd", 1}, {"/dev/serial/by-id/ttyUSB0", 1}}));
}

TEST_F(DeviceNodesTest, ChangedNumberIsReported) {
  nodes_["/dev/serial/by-id/ttyUSB0"].minor = 3;
  EXPECT_EQ(
      changed(),
      "unit 'ttyUSB0': /dev/serial/by-id/ttyUSB0 is another device now: char 188:3, not char 188:0 "
      "[/sys/devices/usb/ttyUSB0]");
}

TEST_F(DeviceNodesTest, ConstantNodeMustExistWithAnyNumber) {
  nodes_["/dev/kfd"].minor = 9;
  EXPECT_EQ(changed(), "");
  nodes_.erase("/dev/kfd");
  EXPECT_EQ(changed(), "unit 'ttyUSB0': /dev/kfd does not exist [/sys/devices/usb/ttyUSB0]");
}

TEST_F(DeviceNodesTest, ReportNamesUnitOfNode) {
  DeviceFacts facts = serial("ttyUSB1", "B");
  facts.number = DeviceNumber{false, 188, 1};
  inventory_.apply(shared(facts));
  const std::string devices = " [/sys/devices/usb/ttyUSB0 /sys/devices/usb/ttyUSB1]";
  EXPECT_EQ(changed({"ttyUSB0", "ttyUSB1"}),
            "unit 'ttyUSB1': /dev/serial/by-id/ttyUSB1 does not exist" + devices);
  nodes_["/dev/serial/by-id/ttyUSB1"] = {false, 188, 1};
  nodes_.erase("/dev/kfd");
  EXPECT_EQ(changed({"ttyUSB0", "ttyUSB1"}),
            "units 'ttyUSB0', 'ttyUSB1': /dev/kfd does not exist" + devices);
}

}  // namespace
}  // namespace patchbay::inventory
