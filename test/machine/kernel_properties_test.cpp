#include "machine/kernel_properties.h"

#include <gmock/gmock.h>

namespace patchbay::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

Device completed(Device device) {
  complete_from_properties(device);
  return device;
}

TEST(KernelProperties, GiveIdsOfPciFunctions) {
  const Device device = completed({.path = "/devices/pci0000:00/0000:00:14.0",
                                   .properties = {{"SUBSYSTEM", "pci"},
                                                  {"DRIVER", "xhci_hcd"},
                                                  {"PCI_ID", "8086:43ED"},
                                                  {"PCI_CLASS", "C0330"},
                                                  {"PCI_SUBSYS_ID", "1028:0A20"}}});
  EXPECT_EQ(device.subsystem, "pci");
  EXPECT_TRUE(device.on_bus);
  EXPECT_EQ(device.driver, "xhci_hcd");
  EXPECT_THAT(device.attributes,
              ElementsAre(Pair("class", "0x0c0330"), Pair("device", "0x43ed"),
                          Pair("subsystem_device", "0x0a20"), Pair("subsystem_vendor", "0x1028"),
                          Pair("vendor", "0x8086")));
}

TEST(KernelProperties, GiveIdsOfUsbDevices) {
  const Device device = completed({.path = "/devices/pci0/usb1/1-4.1",
                                   .subsystem = "usb",
                                   .on_bus = true,
                                   .devtype = "usb_device",
                                   .properties = {{"PRODUCT", "403/6001/600"},
                                                  {"TYPE", "9/0/1"},
                                                  {"BUSNUM", "001"},
                                                  {"DEVNUM", "012"},
                                                  {"ID_SERIAL_SHORT", "A10KZP01"}}});
  EXPECT_THAT(device.attributes, ElementsAre(Pair("bDeviceClass", "09"), Pair("bcdDevice", "0600"),
                                             Pair("busnum", "1"), Pair("devnum", "12"),
                                             Pair("devpath", "4.1"), Pair("idProduct", "6001"),
                                             Pair("idVendor", "0403"), Pair("serial", "A10KZP01")));
}

TEST(KernelProperties, GiveTheRevisionOfRootHubs) {
  const Device device = completed({.path = "/devices/pci0/usb2",
                                   .subsystem = "usb",
                                   .devtype = "usb_device",
                                   .properties = {{"PRODUCT", "1d6b/3/606"}}});
  EXPECT_EQ(device.attributes.at("version"), " 3.00");
  EXPECT_EQ(device.attributes.at("devpath"), "0");
}

TEST(KernelProperties, GiveNumbersOfUsbInterfaces) {
  const Device device = completed({.path = "/devices/pci0/usb1/1-4/1-4:1.10",
                                   .subsystem = "usb",
                                   .devtype = "usb_interface",
                                   .properties = {{"INTERFACE", "255/0/1"}}});
  EXPECT_THAT(device.attributes,
              ElementsAre(Pair("bInterfaceClass", "ff"), Pair("bInterfaceNumber", "0a"),
                          Pair("bInterfaceProtocol", "01"), Pair("bInterfaceSubClass", "00")));
}

TEST(KernelProperties, GiveDeviceNodesAndTags) {
  const Device device = completed({.path = "/devices/a/tty/ttyS0",
                                   .properties = {{"SUBSYSTEM", "tty"},
                                                  {"DEVNAME", "/dev/ttyS0"},
                                                  {"MAJOR", "4"},
                                                  {"MINOR", "64"},
                                                  {"CURRENT_TAGS", ":systemd:"},
                                                  {"TAGS", ":seat:systemd:"}}});
  EXPECT_EQ(device.node, "ttyS0");
  EXPECT_EQ(device.number, (DeviceNumber{.block = false, .major = 4, .minor = 64}));
  EXPECT_FALSE(device.on_bus);
  EXPECT_THAT(device.tags, ElementsAre("systemd"));
}

TEST(KernelProperties, DoNotReplaceKnownValues) {
  const Device device = completed({.path = "/devices/a",
                                   .subsystem = "pci",
                                   .driver = "igb",
                                   .attributes = {{"vendor", "0x8086"}},
                                   .properties = {{"DRIVER", "e1000"}, {"PCI_ID", "10EC:8168"}}});
  EXPECT_EQ(device.driver, "igb");
  EXPECT_THAT(device.attributes, ElementsAre(Pair("vendor", "0x8086")));
}

TEST(KernelProperties, IgnoreMalformedValues) {
  const Device device = completed({.path = "/devices/a/usb",
                                   .subsystem = "usb",
                                   .devtype = "usb_device",
                                   .properties = {{"PRODUCT", "403"}, {"BUSNUM", "x"}}});
  EXPECT_THAT(device.attributes, ElementsAre(Pair("devpath", "0")));
}

}  // namespace
}  // namespace patchbay::machine
