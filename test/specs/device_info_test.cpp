#include "specs/device_info.h"

#include "fake/facts.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::specs {
namespace {

/// A network interface of a PCI function. `physical` is the physical function of a virtual one.
DeviceFacts interface(const std::string& name, const std::string& address,
                      const std::string& physical = "") {
  DeviceFacts facts;
  facts.key = "/sys/devices/pci0000:00/" + address + "/net/" + name;
  facts.name = name;
  facts.subsystem = "net";
  if (!address.empty()) fake::set(facts, Fact::pci, "address", {address});
  if (!physical.empty()) fake::set(facts, Fact::pci, "physfn", {physical});
  return facts;
}

class DeviceInfoTest : public testing::Test {
 protected:
  explicit DeviceInfoTest(const std::string& keys = "")
      : inventory_(inventory::plan_of("  - name: a.io/nic\n    match: {subsystem: net}\n"
                                      "    id: $(name)\n    deviceInfo: pci\n" +
                                      keys)) {}
  const inventory::Resolution& resolve() { return inventory_.resolve(inventory::kStart); }
  std::vector<DeviceInfo> infos() { return device_infos(*resolve().resources.at(0).snapshot); }
  inventory::Inventory inventory_;
};

TEST_F(DeviceInfoTest, ContainsThePciAddressOfEachUnit) {
  inventory_.apply(inventory::shared(interface("eth0", "0000:3b:00.0")));
  inventory_.apply(inventory::shared(interface("eth1", "0000:3b:02.1", "0000:3b:00.0")));
  const auto all = infos();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "a.io-nic-eth0-device.json");
  EXPECT_EQ(all[0].content,
            "{\n \"type\": \"pci\",\n \"version\": \"1.1.0\",\n \"pci\": {\n"
            "  \"pci-address\": \"0000:3b:00.0\"\n }\n}\n");
  EXPECT_EQ(all[1].name, "a.io-nic-eth1-device.json");
  EXPECT_EQ(
      all[1].content,
      "{\n \"type\": \"pci\",\n \"version\": \"1.1.0\",\n \"pci\": {\n"
      "  \"pci-address\": \"0000:3b:02.1\",\n  \"pf-pci-address\": \"0000:3b:00.0\"\n }\n}\n");
}

TEST_F(DeviceInfoTest, RejectsUnitsWithoutPciFunction) {
  inventory_.apply(inventory::shared(interface("veth0", "")));
  EXPECT_EQ(inventory::refusals(resolve()).at(0).substr(2),
            "/sys/devices/pci0000:00//net/veth0 [veth0]: deviceInfo: pci needs a PCI device: the "
            "device is not one and is not below one");
}

/// The kernel writes no address with invalid UTF-8, but such an address must not crash the daemon.
TEST_F(DeviceInfoTest, ReplacesInvalidBytesOfAddress) {
  inventory_.apply(inventory::shared(interface("eth0", "0000:3b:02.1", "\xfe")));
  const auto all = infos();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_NE(all[0].content.find("\"pf-pci-address\": \"\uFFFD\""), std::string::npos)
      << all[0].content;
  EXPECT_TRUE(is_our_device_info(all[0].name, all[0].content));
}

TEST_F(DeviceInfoTest, OmitsLostUnits) {
  const auto facts = inventory::shared(interface("eth0", "0000:3b:00.0"));
  inventory_.apply(facts);
  resolve();
  inventory_.remove(facts->key);
  EXPECT_EQ(resolve().resources.at(0).snapshot->units.size(), 1U);
  EXPECT_TRUE(infos().empty());
}

TEST_F(DeviceInfoTest, RecognizesOwnFiles) {
  inventory_.apply(inventory::shared(interface("eth0", "0000:3b:00.0")));
  inventory_.apply(inventory::shared(interface("eth1", "0000:3b:02.1", "0000:3b:00.0")));
  for (const DeviceInfo& info : infos()) EXPECT_TRUE(is_our_device_info(info.name, info.content));
  const std::string name = "a.io-nic-eth0-device.json";
  EXPECT_FALSE(is_our_device_info("a.io-nic-eth0.json", infos().at(0).content));
  for (const std::string other :
       {"", "[]", "{", "{\"pci\": 1}",
        "{\"type\":\"pci\",\"version\":\"1.1.0\",\"pci\":{\"pci-address\":\"0000:3b:00.0\"}}\n",
        R"({
  "type": "pci",
  "version": "1.1.0",
  "pci": {
    "pci-address": "0000:3b:00.0"
  }
}
)"}) {
    EXPECT_FALSE(is_our_device_info(name, other)) << other;
  }
}

class SharedDeviceInfoTest : public DeviceInfoTest {
 protected:
  SharedDeviceInfoTest() : DeviceInfoTest("    share: {count: 2}\n") {}
};

TEST_F(SharedDeviceInfoTest, EachShareHasItsFile) {
  inventory_.apply(inventory::shared(interface("eth0", "0000:3b:00.0")));
  const auto all = infos();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "a.io-nic-eth0::0-device.json");
  EXPECT_EQ(all[1].name, "a.io-nic-eth0::1-device.json");
  EXPECT_EQ(all[0].content, all[1].content);
}

}  // namespace
}  // namespace patchbay::specs
