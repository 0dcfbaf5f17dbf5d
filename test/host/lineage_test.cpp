#include "host/facts/lineage.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake/facts.h"
#include "fake/sysfs_tree.h"
#include "host/facts/device_ancestry.h"
#include "host/facts/fact_reader.h"

namespace patchbay::host {
namespace {

/// For devices whose hardware is not above them in /sys.
class LineageTest : public testing::Test {
 protected:
  [[nodiscard]] DeviceTree devices() const { return DeviceTree({}, tree.root()); }
  [[nodiscard]] std::string fact(const std::string& device, Fact fact,
                                 const std::string& name = {}) const {
    return DeviceAncestry(devices(), tree.syspath(device)).read({fact, name});
  }
  [[nodiscard]] std::string numa_node(const std::string& device) const {
    return fact(device, Fact::numa_node);
  }
  [[nodiscard]] DeviceFactsPtr read(const std::string& device) const {
    auto query = std::make_shared<HostQuery>();
    query->subsystems = {"*"};
    query->wanted = [](const DeviceFacts&) {
      WantedFacts wanted = fake::wanting({{Fact::driver}});
      wanted.for_ancestors().add(Fact::attribute, "vendor");
      return wanted;
    };
    return FactReader(std::move(query), {}, tree.root())
        .read({.key = tree.syspath(device), .ignore_rules = true})
        .facts;
  }

  /// Adds a PCI function with an NVMe controller, and returns the directory of the controller.
  std::string add_controller(const std::string& slot, const std::string& name,
                             const std::string& node = "1",
                             const std::string& driver = "nvme") const {
    const std::string function = "pci0000:00/0000:00:" + slot + "/0000:0" + slot;
    tree.add("pci0000:00/0000:00:" + slot, "pci", {{"vendor", "0x8086"}});
    tree.add(function, "pci", {{"vendor", "0x144d"}, {"device", "0xa824"}, {"numa_node", node}});
    tree.link(function + "/driver", "../../bus/pci/drivers/" + driver);
    std::string controller = function + "/nvme/" + name;
    tree.add(controller, "nvme", {{"state", "live"}});
    return controller;
  }
  /// Adds the link to the controller in the directory of the NVMe subsystem.
  void join(const std::string& controller, const std::string& name) const {
    tree.link(kSubsystem + '/' + name, tree.syspath(controller));
  }
  void add_disk() const {
    tree.add(kSubsystem, "nvme-subsystem");
    tree.add(kDisk, "block", {}, "DEVTYPE=disk\nDEVNAME=nvme0n1\nMAJOR=259\nMINOR=0\n");
    tree.add(kDisk + "/nvme0n1p1", "block", {}, "DEVTYPE=partition\n");
  }
  void add_volume(const std::string& name, const std::vector<std::string>& slaves) const {
    tree.add("virtual/block/" + name, "block");
    for (const std::string& slave : slaves) {
      tree.link("virtual/block/" + name + "/slaves/" + slave.substr(slave.rfind('/') + 1),
                tree.syspath(slave));
    }
  }
  std::string add_port(const std::string& slot, const std::string& name,
                       const std::string& node) const {
    tree.add("pci0000:00/0000:00:" + slot, "pci", {{"vendor", "0x8086"}, {"numa_node", node}});
    std::string port = "pci0000:00/0000:00:" + slot + "/net/" + name;
    tree.add(port, "net");
    return port;
  }
  std::string add_upper(const std::string& name, const std::vector<std::string>& lower) const {
    std::string upper = "virtual/net/" + name;
    tree.add(upper, "net");
    for (const std::string& port : lower) {
      tree.link(upper + "/lower_" + port.substr(port.rfind('/') + 1), tree.syspath(port));
    }
    return upper;
  }

  const std::string kSubsystem = "virtual/nvme-subsystem/nvme-subsys0";
  const std::string kDisk = kSubsystem + "/nvme0n1";
  fake::SysfsTree tree;
};

TEST_F(LineageTest, MultipathDisk_OneController_HasFactsOfController) {
  add_disk();
  tree.write(kSubsystem + "/model", "SAMSUNG\n");
  join(add_controller("1.0", "nvme0"), "nvme0");
  for (const std::string& device : {kDisk, kDisk + "/nvme0n1p1", kSubsystem}) {
    EXPECT_EQ(fact(device, Fact::driver), "nvme") << device;
    EXPECT_EQ(fact(device, Fact::pci, "address"), "0000:01.0") << device;
    EXPECT_EQ(fact(device, Fact::pci, "rootPort"), "0000:00:1.0") << device;
    EXPECT_EQ(numa_node(device), "1") << device;
  }
}

TEST_F(LineageTest, MultipathDisk_OneController_HasControllerAsAncestor) {
  add_disk();
  join(add_controller("1.0", "nvme0"), "nvme0");
  const DeviceFactsPtr disk = read(kDisk);
  ASSERT_TRUE(disk);
  std::vector<std::string> names;
  for (const DeviceFacts& above : disk->ancestors) names.push_back(above.name);
  EXPECT_EQ(names, (std::vector<std::string>{"nvme-subsys0", "nvme0", "0000:01.0", "0000:00:1.0"}));
  EXPECT_EQ(disk->ancestors.at(2).known.first(Fact::attribute, "vendor"), "0x144d");
}

TEST_F(LineageTest, MultipathDisk_TwoControllers_HasTheirCommonFacts) {
  add_disk();
  join(add_controller("1.0", "nvme0", "0"), "nvme0");
  join(add_controller("2.0", "nvme1", "1"), "nvme1");
  EXPECT_EQ(fact(kDisk, Fact::driver), "nvme");
  EXPECT_EQ(fact(kDisk, Fact::pci, "vendor"), "144d");
  EXPECT_EQ(fact(kDisk, Fact::pci, "address"), "");
  EXPECT_EQ(numa_node(kDisk), "");
  const DeviceFactsPtr disk = read(kDisk);
  ASSERT_TRUE(disk);
  ASSERT_EQ(disk->ancestors.size(), 1U);
  EXPECT_EQ(disk->ancestors.front().name, "nvme-subsys0");
}

TEST_F(LineageTest, MultipathDisk_ControllerBeingRemoved_IsLeftOut) {
  add_disk();
  join(add_controller("1.0", "nvme0", "0"), "nvme0");
  const std::string leaving = add_controller("2.0", "nvme1", "1");
  join(leaving, "nvme1");
  join(leaving + "-that-is-gone", "nvme2");
  tree.write(leaving + "/state", "deleting (no IO)\n");
  EXPECT_EQ(numa_node(kDisk), "0");
  EXPECT_EQ(fact(kDisk, Fact::pci, "address"), "0000:01.0");
}

TEST_F(LineageTest, MultipathDisk_ControllerOverTheNetwork_HasNoPciFunction) {
  add_disk();
  tree.add("virtual/nvme-fabrics/ctl/nvme0", "nvme", {{"state", "live"}});
  join("virtual/nvme-fabrics/ctl/nvme0", "nvme0");
  EXPECT_EQ(fact(kDisk, Fact::driver), "");
  EXPECT_EQ(fact(kDisk, Fact::pci, "address"), "");
  join(add_controller("1.0", "nvme1"), "nvme1");
  EXPECT_EQ(fact(kDisk, Fact::driver), "") << "one of the two has no driver";
}

TEST_F(LineageTest, MultipathDisk_LinkOfAnotherKind_IsNoController) {
  add_disk();
  tree.add("pci0000:00/0000:00:1f.0", "pci", {{"vendor", "0x8086"}});
  join("pci0000:00/0000:00:1f.0", "device");
  tree.link(kSubsystem + "/nvme7", "/etc");
  EXPECT_EQ(fact(kDisk, Fact::pci, "vendor"), "");
  EXPECT_EQ(hardware_lineages(devices(), tree.syspath(kDisk)).size(), 1U);
}

TEST_F(LineageTest, HiddenPath_IsNoDevice) {
  const std::string path = add_controller("1.0", "nvme0") + "/nvme0c0n1";
  tree.add(path, "block", {{"hidden", "1"}}, "DEVTYPE=disk\n");
  EXPECT_FALSE(read(path));
  tree.write(path + "/hidden", "0\n");
  EXPECT_TRUE(read(path));
}

TEST_F(LineageTest, Volume_HasOnlyNumaNodeOfItsDisks) {
  const std::string first = add_controller("1.0", "nvme0", "0") + "/nvme0n1";
  const std::string second = add_controller("2.0", "nvme1", "0") + "/nvme1n1";
  const std::string far = add_controller("3.0", "nvme2", "1") + "/nvme2n1";
  for (const std::string& disk : {first, second, far}) tree.add(disk, "block");
  add_volume("md0", {first, second});
  tree.add("virtual/block/md0/md0p1", "block");
  add_volume("dm-0", {"virtual/block/md0/md0p1"});
  for (const std::string device : {"md0", "md0/md0p1", "dm-0"}) {
    EXPECT_EQ(numa_node("virtual/block/" + device), "0") << device;
    EXPECT_EQ(fact("virtual/block/" + device, Fact::driver), "") << device;
    EXPECT_EQ(fact("virtual/block/" + device, Fact::pci, "vendor"), "") << device;
  }
  add_volume("md1", {first, far});
  EXPECT_EQ(numa_node("virtual/block/md1"), "");
}

TEST_F(LineageTest, Volume_OnAMultipathDisk_HasItsNumaNode) {
  add_disk();
  join(add_controller("1.0", "nvme0"), "nvme0");
  add_volume("dm-0", {kDisk + "/nvme0n1p1"});
  EXPECT_EQ(numa_node("virtual/block/dm-0"), "1");
}

TEST_F(LineageTest, Volume_OnADiskWithoutNumaNode_HasNone) {
  const std::string disk = add_controller("1.0", "nvme0", "0") + "/nvme0n1";
  tree.add(disk, "block");
  tree.add("virtual/block/loop0", "block");
  add_volume("dm-0", {disk, "virtual/block/loop0"});
  EXPECT_EQ(numa_node("virtual/block/dm-0"), "");
  add_volume("dm-1", {disk});
  tree.link("virtual/block/dm-1/slaves/sdz", "../../../gone");
  EXPECT_EQ(numa_node("virtual/block/dm-1"), "");
}

TEST_F(LineageTest, Volume_BuiltUponItself_EndsWithoutNumaNode) {
  add_volume("dm-0", {"virtual/block/dm-1"});
  add_volume("dm-1", {"virtual/block/dm-0", "virtual/block/dm-1"});
  EXPECT_EQ(numa_node("virtual/block/dm-0"), "");
}

TEST_F(LineageTest, Interface_HasTheNumaNodeOfItsLowerInterfaces) {
  const std::string bond =
      add_upper("bond0", {add_port("1.0", "eth0", "1"), add_port("2.0", "eth1", "1")});
  const std::string vlan = add_upper("bond0.7", {bond});
  const std::string macvtap = add_upper("macvtap0", {vlan});
  tree.add(macvtap + "/tap5", "macvtap");
  for (const std::string& device : {bond, vlan, macvtap, macvtap + "/tap5"}) {
    EXPECT_EQ(numa_node(device), "1") << device;
    EXPECT_EQ(fact(device, Fact::pci, "vendor"), "") << device;
  }
  tree.add("virtual/net/tap0", "net");
  EXPECT_EQ(numa_node(add_upper("br0", {bond, "virtual/net/tap0"})), "");
}

/// A device with hardware of its own gets no facts from its lower device.
TEST_F(LineageTest, Interface_WithOwnHardware_HasNoFactsOfOthers) {
  const std::string port = add_port("1.0", "eth0", "-1");
  tree.link(port + "/lower_eth1", tree.syspath(add_port("2.0", "eth1", "1")));
  EXPECT_EQ(numa_node(port), "");
}

TEST_F(LineageTest, TryRead_DeviceOnOtherHardware_ReturnsNothing) {
  add_disk();
  join(add_controller("1.0", "nvme0"), "nvme0");
  add_volume("dm-0", {kDisk});
  add_volume("zram0", {});
  const auto at_once = [&](const std::string& device, Fact fact) {
    return DeviceAncestry(devices(), tree.syspath(device)).try_read({fact});
  };
  for (const Fact fact : {Fact::driver, Fact::numa_node, Fact::iommu_group}) {
    EXPECT_EQ(at_once(kDisk, fact), std::nullopt);
    EXPECT_EQ(at_once("virtual/block/zram0", fact), "");
  }
  EXPECT_EQ(at_once("virtual/block/dm-0", Fact::numa_node), std::nullopt);
  EXPECT_EQ(at_once("virtual/block/dm-0", Fact::driver), "");
}

}  // namespace
}  // namespace patchbay::host
