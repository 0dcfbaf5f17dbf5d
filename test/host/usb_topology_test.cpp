#include "host/facts/usb_topology.h"

#include <string>

#include <gtest/gtest.h>

#include "fake/sysfs_tree.h"
#include "host/facts/device_ancestry.h"

namespace patchbay::host {
namespace {

/// For a USB 3 controller with two buses. A connector can have a port on each bus.
class UsbTopologyTest : public testing::Test {
 protected:
  void SetUp() override {
    tree.add(kController, "pci", {{"vendor", "0x8086"}});
    add_hub("usb1", "0", " 2.00");
    add_hub("usb2", "0", " 3.10");
  }

  [[nodiscard]] std::string socket(const std::string& device) const {
    return DeviceAncestry(DeviceTree({}, tree.root()), tree.syspath(kController + '/' + device))
        .read({Fact::usb, "socket"});
  }
  static std::string named(const std::string& rest) { return "0000:00:14.0-usbv" + rest; }

  /// Adds a device below the controller. The kernel makes its name from those of the hub and the
  /// port.
  void add_device(const std::string& path, const std::string& devpath,
                  const std::string& version = " 3.20") const {
    tree.add(
        kController + '/' + path, "usb",
        {{"idVendor", "03e7"}, {"idProduct", "2485"}, {"version", version}, {"devpath", devpath}});
  }
  void add_hub(const std::string& path, const std::string& devpath,
               const std::string& version) const {
    add_device(path, devpath, version);
    tree.add(interface_of(path), "usb", {{"bInterfaceNumber", "00"}});
  }
  [[nodiscard]] std::string interface_of(const std::string& path) const {
    const std::string name = path.substr(path.rfind('/') + 1);
    const std::string root = name.starts_with("usb") ? name.substr(3) + "-0" : name;
    return kController + '/' + path + '/' + root + ":1.0";
  }
  [[nodiscard]] std::string port_of(const std::string& hub, const std::string& number) const {
    return interface_of(hub) + '/' + hub.substr(hub.rfind('/') + 1) + "-port" + number;
  }
  /// Links two ports as peers: they are one connector.
  void join(const std::string& hub, const std::string& number, const std::string& other_hub,
            const std::string& other_number) const {
    const std::string port = port_of(hub, number);
    const std::string other = port_of(other_hub, other_number);
    tree.link(port + "/peer", tree.syspath(other));
    tree.link(other + "/peer", tree.syspath(port));
  }
  /// Links the device with the port of the hub.
  void plug(const std::string& device, const std::string& hub, const std::string& number) const {
    tree.write(port_of(hub, number) + "/connect_type", "hotplug\n");
    tree.link(kController + '/' + device + "/port", tree.syspath(port_of(hub, number)));
  }

  const std::string kController = "pci0000:00/0000:00:14.0";
  fake::SysfsTree tree;
};

TEST_F(UsbTopologyTest, Socket_WithoutPeer_IsThePort) {
  add_device("usb1/1-4", "4", " 2.00");
  add_device("usb2/2-3", "3");
  plug("usb2/2-3", "usb2", "3");
  EXPECT_EQ(socket("usb1/1-4"), named("2-4"));
  EXPECT_EQ(socket("usb2/2-3"), named("3-3"));
  EXPECT_EQ(socket("usb1"), named("2-0"));
  EXPECT_EQ(socket("usb2"), named("3-0"));
}

TEST_F(UsbTopologyTest, Socket_OfBothBuses_IsThePortOfUsb2) {
  join("usb1", "5", "usb2", "1");
  add_device("usb1/1-5", "5", " 2.00");
  plug("usb1/1-5", "usb1", "5");
  add_device("usb2/2-1", "1");
  plug("usb2/2-1", "usb2", "1");
  EXPECT_EQ(socket("usb1/1-5"), named("2-5"));
  EXPECT_EQ(socket("usb2/2-1"), named("2-5"));
}

TEST_F(UsbTopologyTest, Socket_OfDescendant_IsThatOfItsUsbDevice) {
  join("usb1", "5", "usb2", "1");
  add_device("usb2/2-1", "1");
  plug("usb2/2-1", "usb2", "1");
  const std::string interface = "usb2/2-1/2-1:1.0";
  tree.add(kController + '/' + interface, "usb", {{"bInterfaceNumber", "00"}});
  tree.add(kController + '/' + interface + "/video4linux/video0", "video4linux");
  EXPECT_EQ(socket(interface + "/video4linux/video0"), named("2-5"));
}

/// A USB 3 hub behind a hub has the same port numbers on both buses.
TEST_F(UsbTopologyTest, Socket_BehindHubs_IsThePortOfUsb2) {
  join("usb1", "5", "usb2", "1");
  add_hub("usb1/1-5", "5", " 2.10");
  plug("usb1/1-5", "usb1", "5");
  add_hub("usb2/2-1", "1", " 3.20");
  plug("usb2/2-1", "usb2", "1");
  join("usb1/1-5", "2", "usb2/2-1", "2");
  add_hub("usb1/1-5/1-5.2", "5.2", " 2.10");
  plug("usb1/1-5/1-5.2", "usb1/1-5", "2");
  add_hub("usb2/2-1/2-1.2", "1.2", " 3.20");
  plug("usb2/2-1/2-1.2", "usb2/2-1", "2");
  join("usb1/1-5/1-5.2", "4", "usb2/2-1/2-1.2", "4");
  add_device("usb1/1-5/1-5.2/1-5.2.4", "5.2.4", " 2.00");
  plug("usb1/1-5/1-5.2/1-5.2.4", "usb1/1-5/1-5.2", "4");
  add_device("usb2/2-1/2-1.2/2-1.2.4", "1.2.4");
  plug("usb2/2-1/2-1.2/2-1.2.4", "usb2/2-1/2-1.2", "4");
  EXPECT_EQ(socket("usb1/1-5/1-5.2/1-5.2.4"), named("2-5.2.4"));
  EXPECT_EQ(socket("usb2/2-1/2-1.2/2-1.2.4"), named("2-5.2.4"));
  EXPECT_EQ(socket("usb2/2-1/2-1.2"), named("2-5.2"));
}

/// The kernel links the ports of a hub after both of its devices exist.
TEST_F(UsbTopologyTest, Socket_BeforeTheHubsPeerExists_IsThePortOfUsb2) {
  join("usb1", "5", "usb2", "1");
  add_hub("usb2/2-1", "1", " 3.20");
  plug("usb2/2-1", "usb2", "1");
  add_device("usb2/2-1/2-1.2", "1.2");
  plug("usb2/2-1/2-1.2", "usb2/2-1", "2");
  EXPECT_EQ(socket("usb2/2-1/2-1.2"), named("2-5.2"));
  add_hub("usb1/1-5", "5", " 2.10");
  plug("usb1/1-5", "usb1", "5");
  join("usb1/1-5", "2", "usb2/2-1", "2");
  EXPECT_EQ(socket("usb2/2-1/2-1.2"), named("2-5.2"));
}

TEST_F(UsbTopologyTest, Socket_WithInvalidPeer_IsThePort) {
  add_device("usb2/2-1", "1");
  plug("usb2/2-1", "usb2", "1");
  tree.link(port_of("usb2", "1") + "/peer", "/etc");
  EXPECT_EQ(socket("usb2/2-1"), named("3-1"));
  add_device("usb2/2-2", "2");
  plug("usb2/2-2", "usb2", "2");
  tree.link(port_of("usb2", "2") + "/peer", tree.syspath(kController));
  EXPECT_EQ(socket("usb2/2-2"), named("3-2"));
  add_device("usb2/2-3", "3");
  plug("usb2/2-3", "usb2", "3");
  tree.link(port_of("usb2", "3") + "/peer", "../gone");
  EXPECT_EQ(socket("usb2/2-3"), named("3-3"));
}

TEST_F(UsbTopologyTest, Socket_BelowNoUsbDevice_IsAbsent) {
  tree.add("platform/serial8250/tty/ttyS0", "tty");
  EXPECT_EQ(
      DeviceAncestry(DeviceTree({}, tree.root()), tree.syspath("platform/serial8250/tty/ttyS0"))
          .read({Fact::usb, "socket"}),
      "");
}

}  // namespace
}  // namespace patchbay::host
