#include "dra/device.h"

#include <string>

#include <gtest/gtest.h>

#include "dra/device_name.h"
#include "dra/dra_fixture.h"
#include "dra/slices.h"

namespace patchbay::dra {
namespace {

using config::AttributeType;

constexpr const char* kUart =
    "  - name: lab.example.com/uart\n    match: {subsystem: tty}\n    id: $(usb.serial:-none)\n";

/// The attributes as one line of JSON.
std::string attributes_of(const MadeDevice& made) {
  return devices_json(std::vector{made.device}).at(0).at("attributes").dump();
}

TEST(Device, OfUsbAdapter) {
  const MadeDevice made = device_of(dra_plan(kUart), {adapter("ttyUSB0", "A50285BI")});
  EXPECT_EQ(made.device.name, device_name("lab.example.com/uart", "A50285BI"));
  EXPECT_EQ(attributes_of(made), R"({"id":{"string":"A50285BI"},)"
                                 R"("resource":{"string":"lab.example.com/uart"},)"
                                 R"("resource.kubernetes.io/numaNode":{"int":0},)"
                                 R"("resource.kubernetes.io/pcieRoot":{"string":"pci0000:00"},)"
                                 R"("usbProduct":{"string":"6001"},)"
                                 R"("usbSerial":{"string":"A50285BI"},)"
                                 R"("usbSocket":{"string":"0000:00:14.0-usbv2-2"},)"
                                 R"("usbVendor":{"string":"0403"}})");
  EXPECT_EQ(omissions(made), Strings{});
}

TEST(Device, OfPciFunction) {
  DeviceFacts nic;
  nic.key = "/sys/devices/platform/pcie/pci0002:8a/0002:8a:00.0/0002:8b:00.0/net/eth0";
  nic.name = "eth0";
  nic.subsystem = "net";
  fake::set(nic, Fact::pci, "vendor", {"15b3"});
  fake::set(nic, Fact::pci, "device", {"101e"});
  fake::set(nic, Fact::pci, "address", {"0002:8b:00.0"});
  fake::set(nic, Fact::numa_node, {"1"});
  const auto plan = dra_plan(
      "  - name: lab.example.com/nic\n    match: {subsystem: net}\n    id: $(pci.address)\n"
      "    envs: {A: $(pci.address)}\n");
  EXPECT_EQ(attributes_of(device_of(plan, {nic})),
            R"({"id":{"string":"0002:8b:00.0"},"pciDevice":{"string":"101e"},)"
            R"("pciVendor":{"string":"15b3"},"resource":{"string":"lab.example.com/nic"},)"
            R"("resource.kubernetes.io/numaNode":{"int":1},)"
            R"("resource.kubernetes.io/pciBusID":{"string":"0002:8b:00.0"},)"
            R"("resource.kubernetes.io/pcieRoot":{"string":"pci0002:8a"}})");
}

TEST(Device, OfStaticName) {
  const auto plan = dra_plan("  - name: a.io/scope\n    match: {static: [left, right]}\n");
  EXPECT_EQ(attributes_of(device_of(plan, {inventory::named("left")})),
            R"({"id":{"string":"left"},"resource":{"string":"a.io/scope"}})");
}

TEST(Device, HasWrittenAttributes) {
  DeviceFacts device = adapter("ttyUSB0", "A5");
  fake::set(device, Fact::attribute, "speed", {"480"});
  fake::set(device, Fact::attribute, "removable", {"1"});
  const MadeDevice made =
      device_of(dra_plan(kUart, {{"who.example.com/label", "$(id) of $(resource) on $(node)"},
                                 {"firmware", "$(attribute.speed).0.0", AttributeType::version},
                                 {"removable", "$(attribute.removable)", AttributeType::boolean},
                                 {"speed", "$(attribute.speed)", AttributeType::integer}}),
                {device});
  const auto& attributes = made.device.attributes;
  EXPECT_EQ(attributes.at("who.example.com/label"),
            AttributeValue("A5 of lab.example.com/uart on bench-1"));
  EXPECT_EQ(attributes.at("firmware"), AttributeValue(Version{"480.0.0"}));
  EXPECT_EQ(attributes.at("removable"), AttributeValue(true));
  EXPECT_EQ(attributes.at("speed"), AttributeValue(int64_t{480}));
  EXPECT_EQ(omissions(made), Strings{});
}

TEST(Device, WithoutValue_OmitsAttribute) {
  DeviceFacts device = adapter("ttyUSB0", "");
  fake::set(device, Fact::attribute, "label", {std::string(65, 'x')});
  const MadeDevice made =
      device_of(dra_plan(kUart, {{"absent", "$(property.ID_MODEL)"},
                                 {"count", "$(usb.product)x", AttributeType::integer},
                                 {"empty", "$(property.ID_MODEL:-)"},
                                 {"long", "$(attribute.label)"}}),
                {device});
  EXPECT_EQ(
      omissions(made),
      (Strings{"absent: '$(property.ID_MODEL)' needs $(property.ID_MODEL), which the device does "
               "not have",
               "count: \"6001x\" is no whole number of 64 bits", "empty: the value is empty",
               "long: \"" + std::string(65, 'x') + "\" has 65 bytes; the limit is 64"}));
  for (const std::string name : {"absent", "count", "empty", "long", "usbSerial"}) {
    EXPECT_FALSE(made.device.attributes.contains(name)) << name;
  }
}

TEST(Device, OmitsHostileSerials) {
  const auto plan =
      dra_plan("  - name: lab.example.com/uart\n    match: {subsystem: tty}\n    id: $(name)\n",
               {{"serial", "$(usb.serial)"}});
  for (const std::string& serial :
       {std::string("a\nb"), std::string("\xff\xfe"), std::string("\xe2\x80\xae"),
        std::string(65, 's'), std::string("\xc2\x9b[2J")}) {
    const MadeDevice made = device_of(plan, {adapter("ttyUSB0", serial)});
    EXPECT_FALSE(made.device.attributes.contains("usbSerial")) << serial;
    EXPECT_FALSE(made.device.attributes.contains("serial")) << serial;
    ASSERT_EQ(made.omitted.size(), 2) << serial;
    EXPECT_EQ(made.omitted[0].attribute, "usbSerial");
    EXPECT_EQ(made.omitted[1].attribute, "serial");
    EXPECT_EQ(made.device.attributes.at("usbVendor"), AttributeValue("0403"));
  }
}

TEST(Device, HasAtMost32Attributes) {
  std::vector<Written> many;
  for (int i = 10; i < 40; ++i) many.push_back({"a" + std::to_string(i), "x"});
  const MadeDevice made = device_of(dra_plan(kUart, many), {adapter("ttyUSB0", "A5")});
  EXPECT_EQ(made.device.attributes.size(), 32);
  EXPECT_TRUE(made.device.attributes.contains("a33"));
  ASSERT_EQ(made.omitted.size(), 6);
  EXPECT_EQ(omissions(made).front(), "a34: a device has at most 32 attributes");
}

TEST(Device, HasNumaNodeOnlyIfItIsOne) {
  const std::string rule =
      "  - name: a.io/pair\n    match: {subsystem: tty}\n    by: all\n    size: 2\n    id: all\n";
  const std::string name = "resource.kubernetes.io/numaNode";
  DeviceFacts first = adapter("ttyUSB0", "A");
  DeviceFacts second = adapter("ttyUSB1", "B");
  EXPECT_EQ(device_of(dra_plan(rule), {first, second}).device.attributes.at(name),
            AttributeValue(int64_t{0}));
  EXPECT_FALSE(device_of(dra_plan(rule + "    topology: none\n"), {first, second})
                   .device.attributes.contains(name));
  fake::set(second, Fact::numa_node, {"1"});
  EXPECT_FALSE(device_of(dra_plan(rule), {first, second}).device.attributes.contains(name));
  fake::set(second, Fact::numa_node, {"-1"});
  EXPECT_EQ(device_of(dra_plan(rule), {first, second}).device.attributes.at(name),
            AttributeValue(int64_t{0}));
}

TEST(Device, DescribesFirstMatchedDevice) {
  const std::string rule =
      "  - name: a.io/stand\n    match: {subsystem: tty}\n    by: all\n    id: all\n"
      "    size: 2\n    members:\n"
      "      probe: {match: {subsystem: usb}, by: all, size: 0-1}\n";
  DeviceFacts probe = adapter("1-3", "P");
  probe.subsystem = "usb";
  const auto plan = dra_plan(rule, {{"probe", "$(probe.usb.serial)"}});
  const MadeDevice with =
      device_of(plan, {adapter("ttyUSB1", "B"), adapter("ttyUSB0", "A"), probe});
  EXPECT_EQ(with.device.attributes.at("usbSerial"), AttributeValue("A"));
  EXPECT_EQ(with.device.attributes.at("probe"), AttributeValue("P"));
  const MadeDevice without = device_of(plan, {adapter("ttyUSB1", "B"), adapter("ttyUSB0", "A")});
  EXPECT_EQ(omissions(without),
            Strings{"probe: '$(probe.usb.serial)' needs $(probe.usb.serial), which the unit does "
                    "not have"});
}

TEST(Device, ReadsPciRootOnlyFromADirectoryOfThatForm) {
  DeviceFacts device = adapter("ttyUSB0", "A");
  const std::string name = "resource.kubernetes.io/pcieRoot";
  const auto root_at = [&](const std::string& key) {
    device.key = key;
    const auto made = device_of(dra_plan(kUart), {device});
    const auto found = made.device.attributes.find(name);
    return found == made.device.attributes.end() ? "" : std::get<std::string>(found->second);
  };
  EXPECT_EQ(root_at("/sys/devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/x"),
            "pci0000:00");
  EXPECT_EQ(root_at("/sys/devices/pci10000:e0/10000:e0:06.0"), "pci10000:e0");
  for (const std::string key :
       {"/sys/devices/virtual/tty/x", "/sys/devices/pci/x", "/sys/devices/pci0000/x",
        "/sys/devices/pci0000:0/x", "/sys/devices/pci0000:zz/x", "/sys/devices/xpci0000:00/x"}) {
    EXPECT_EQ(root_at(key), "") << key;
  }
}

}  // namespace
}  // namespace patchbay::dra
