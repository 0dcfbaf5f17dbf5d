#include "host/facts/device_identity.h"

#include <string>

#include <gtest/gtest.h>

#include "fake/sysfs_tree.h"
#include "host/facts/lineage.h"

/// Tests the identity of devices on simulated machines in the kernel's layout.
namespace patchbay::host {
namespace {

const std::string kUsb = "pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0/";

class DeviceIdentity : public testing::Test {
 protected:
  void add(const std::string& device, const std::string& subsystem,
           const fake::SysfsTree::Files& files = {}) const {
    tree.add(device, subsystem, files);
  }
  [[nodiscard]] std::string read(const std::string& device, const std::string& component) const {
    return read_identity({}, lineage(DeviceTree({}, tree.root()), tree.syspath(device)), component);
  }
  [[nodiscard]] std::string serial(const std::string& device) const {
    return read(device, "serial");
  }
  [[nodiscard]] std::string position(const std::string& device) const {
    return read(device, "place");
  }
  [[nodiscard]] std::string component(const std::string& device) const {
    return read(device, "part");
  }
  /// Adds a device without attributes, and returns its position.
  [[nodiscard]] std::string position_of(const std::string& device,
                                        const std::string& subsystem) const {
    add(device, subsystem);
    return position(device);
  }

  /// Adds a SCSI disk with a partition, and returns the disk.
  [[nodiscard]] std::string add_disk(const std::string& scsi, const std::string& name,
                                     const std::string& wwid = {}) const {
    add(scsi, "scsi", {{"wwid", wwid}});
    std::string disk = scsi + "/block/" + name;
    add(disk, "block");
    tree.link(disk + "/device", "../..");
    add(disk + "/" + name + "1", "block", {{"partition", "1"}});
    return disk;
  }

  fake::SysfsTree tree;
};

TEST_F(DeviceIdentity, ScsiDiskUsesItsWwid) {
  const std::string disk = add_disk("pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0", "sda",
                                    "t10.ATA     ST8000NM000A-2KE101               WSD01234");
  EXPECT_EQ(serial(disk), "t10.ATA ST8000NM000A-2KE101 WSD01234");
  EXPECT_EQ(serial(disk + "/sda1"), serial(disk));
  EXPECT_EQ(component(disk), "");
  EXPECT_EQ(component(disk + "/sda1"), "p1");
}

TEST_F(DeviceIdentity, AtaDiskWithoutWwidUsesItsPort) {
  const std::string controller = "pci0000:00/0000:00:1f.2";
  // The kernel numbers ATA ports across all controllers.
  for (const auto& [ata, port] : {std::pair("ata5", "1"), {"ata6", "2"}}) {
    tree.write(controller + "/" + ata + "/ata_port/" + ata + "/port_no", std::string(port) + "\n");
  }
  const auto disk = [&](const std::string& ata, const std::string& host, const std::string& name) {
    return add_disk(
        controller + "/" + ata + "/host" + host + "/target" + host + ":0:0/" + host + ":0:0:0",
        name);
  };
  EXPECT_EQ(position(disk("ata5", "4", "sda")), "ata1");
  const std::string second = disk("ata6", "5", "sdb");
  EXPECT_EQ(position(second), "ata2");
  EXPECT_EQ(position(second + "/sdb1"), "ata2");
  EXPECT_EQ(serial(second), "");
}

TEST_F(DeviceIdentity, AtaDiskWithoutAttributesUsesRankOfItsPort) {
  const std::string controller = "pci0000:00/0000:00:17.0/";
  const auto at = [](const std::string& ata, const std::string& host) {
    return ata + "/host" + host + "/target" + host + ":0:0/" + host + ":0:0:0";
  };
  const std::string first = controller + at("ata9", "8");
  const std::string second = controller + at("ata10", "9");
  add(first, "scsi");
  add(second, "scsi");
  add(first + "/scsi_generic/sg0", "scsi_generic");
  add(second + "/scsi_generic/sg1", "scsi_generic");
  add(second + "/block/sdb", "block");
  EXPECT_EQ(position(first + "/scsi_generic/sg0"), "ata1");
  EXPECT_EQ(position(second + "/scsi_generic/sg1"), "ata2");
  EXPECT_EQ(position(second + "/block/sdb"), "ata2");
}

TEST_F(DeviceIdentity, ScsiDiskUsesTargetAndLun) {
  const auto at = [&](const std::string& host, const std::string& where, const std::string& name) {
    return position(
        add_disk(host + "/target" + where.substr(0, where.rfind(':')) + "/" + where, name));
  };
  EXPECT_EQ(at(kUsb + "host6", "6:0:0:0", "sda"), "");
  EXPECT_EQ(at(kUsb + "host6", "6:0:0:2", "sdb"), "lun2");
  EXPECT_EQ(at("pci0000:00/0000:00:05.0/virtio2/host3", "3:0:1:0", "sdc"), "0:1:0");
  // SAS targets are numbered in the order of discovery, so the number is no position.
  const std::string sas = "pci0000:00/0000:03:00.0/host1/port-1:0/end_device-1:0";
  EXPECT_EQ(at(sas, "1:0:7:0", "sdd"), "");
  tree.write(sas + "/target1:0:7/1:0:7:0/sas_address", "0x5000c500dc012345\n");
  EXPECT_EQ(position(sas + "/target1:0:7/1:0:7:0/block/sdd"), "0x5000c500dc012345");
  EXPECT_EQ(position_of(kUsb + "host6/target6:0:0/6:0:0:2/scsi_generic/sg3", "scsi_generic"),
            "lun2");
}

TEST_F(DeviceIdentity, NvmeNamespaceUsesItsWwidOrNumber) {
  const std::string controller = "pci0000:00/0000:02:00.0/nvme/nvme3";
  add(controller, "nvme");
  add(controller + "/nvme3n1", "block", {{"nsid", "1"}, {"wwid", "eui.0025388b01234567"}});
  add(controller + "/nvme3n1/nvme3n1p2", "block", {{"partition", "2"}});
  add(controller + "/nvme3n2", "block", {{"nsid", "2"}});
  EXPECT_EQ(serial(controller + "/nvme3n1/nvme3n1p2"), "eui.0025388b01234567");
  EXPECT_EQ(position(controller + "/nvme3n1"), "");
  EXPECT_EQ(position(controller + "/nvme3n2"), "ns2");
  EXPECT_EQ(component(controller + "/nvme3n1/nvme3n1p2"), "p2");
}

TEST_F(DeviceIdentity, OtherDisksUseTheirSerials) {
  const std::string card = "platform/mmc0/mmc0:0001";
  add(card, "mmc", {{"cid", "1501004d3447313242"}});
  add(card + "/block/mmcblk0", "block");
  tree.link(card + "/block/mmcblk0/device", "../..");
  add(card + "/block/mmcblk0/mmcblk0p1", "block", {{"partition", "1"}});
  add(card + "/block/mmcblk0/mmcblk0boot0", "block");
  EXPECT_EQ(serial(card + "/block/mmcblk0/mmcblk0p1"), "1501004d3447313242");
  EXPECT_EQ(component(card + "/block/mmcblk0/mmcblk0p1"), "p1");
  EXPECT_EQ(serial(card + "/block/mmcblk0"), "1501004d3447313242");
  EXPECT_EQ(component(card + "/block/mmcblk0/mmcblk0boot0"), "boot0");
  add("virtual/block/dm-0", "block", {{"dm/uuid", "LVM-abc"}});
  EXPECT_EQ(serial("virtual/block/dm-0"), "LVM-abc");
  add("virtual/block/zram0", "block");
  EXPECT_EQ(serial("virtual/block/zram0"), "");
  add("virtual/mem/null", "mem", {{"serial", "1"}});
  EXPECT_EQ(serial("virtual/mem/null"), "");
}

TEST_F(DeviceIdentity, NetworkInterfaceUsesPortOrRepresentor) {
  const std::string nic = "pci0000:00/0000:3b:00.0/net/";
  add(nic + "eth0", "net", {{"dev_port", "0"}, {"phys_port_name", "p0"}});
  add(nic + "eth1", "net", {{"dev_port", "1"}, {"phys_port_name", "p1"}});
  add(nic + "eth2", "net", {{"dev_port", "0"}, {"phys_port_name", "pf0vf1"}});
  EXPECT_EQ(position(nic + "eth0"), "");
  EXPECT_EQ(position(nic + "eth1"), "port1");
  EXPECT_EQ(position(nic + "eth2"), "pf0vf1");
}

TEST_F(DeviceIdentity, UsbHubUsesItsRevisionOfUsb) {
  const std::string controller = "pci0000:00/0000:00:14.0/";
  const auto add_usb = [&](const std::string& path, const std::string& device_class,
                           const std::string& version) {
    add(controller + path, "usb",
        {{"idVendor", "1d6b"}, {"bDeviceClass", device_class}, {"version", version}});
  };
  add_usb("usb1", "09", " 2.00");
  add_usb("usb2", "09", " 3.10");
  add_usb("usb1/1-2", "09", " 2.10");
  add_usb("usb1/1-2/1-2.1", "ef", " 2.00");
  EXPECT_EQ(position(controller + "usb1"), "usbv2");
  EXPECT_EQ(position(controller + "usb2"), "usbv3");
  EXPECT_EQ(position(controller + "usb1/1-2"), "usbv2");
  EXPECT_EQ(position_of(controller + "usb1/1-2/1-2:1.0", "usb"), "usbv2");
  EXPECT_EQ(position(controller + "usb1/1-2/1-2.1"), "");
}

TEST_F(DeviceIdentity, GraphicsAndSoundNodesUseTheirFunction) {
  const std::string gpu = "pci0000:00/0000:03:00.0/";
  EXPECT_EQ(position_of(gpu + "drm/renderD129", "drm"), "");
  EXPECT_EQ(position_of(gpu + "drm/card1", "drm"), "card");
  EXPECT_EQ(position_of(gpu + "drm/card1/card1-DP-2", "drm"), "DP-2");
  EXPECT_EQ(position_of(gpu + "sound/card2", "sound"), "card");
  EXPECT_EQ(position_of(gpu + "sound/card2/controlC2", "sound"), "control");
  EXPECT_EQ(position_of(gpu + "sound/card2/pcmC2D10p", "sound"), "pcmD10p");
  EXPECT_EQ(position_of(gpu + "sound/card2/hwC2D0", "sound"), "hwD0");
}

TEST_F(DeviceIdentity, InputNodeUsesItsOrderOnTheHidDevice) {
  const std::string hid = kUsb + "0003:046D:C31C.0004";
  add(hid, "hid");
  for (const std::string input : {"/input/input9", "/input/input10"}) add(hid + input, "input");
  EXPECT_EQ(position_of(hid + "/input/input9/event4", "input"), "event");
  EXPECT_EQ(position_of(hid + "/input/input10/event5", "input"), "event1");
  EXPECT_EQ(position_of(hid + "/input/input10/mouse0", "input"), "mouse1");
  EXPECT_EQ(position(hid + "/input/input10"), "input1");
  EXPECT_EQ(position_of(hid + "/hidraw/hidraw3", "hidraw"), "");
  // A wireless receiver has a HID device for each keyboard.
  const std::string keyboard = hid + "/0003:046D:4024.0007";
  add(keyboard, "hid");
  add(keyboard + "/input/input12", "input");
  EXPECT_EQ(position_of(keyboard + "/input/input12/event6", "input"), "046D:4024:event");
  EXPECT_EQ(position_of(keyboard + "/hidraw/hidraw4", "hidraw"), "046D:4024");
}

TEST_F(DeviceIdentity, VideoNodeUsesItsIndex) {
  const std::string camera = kUsb + "video4linux/";
  add(camera + "video4", "video4linux", {{"index", "0"}});
  add(camera + "video5", "video4linux", {{"index", "1"}});
  add(camera + "vbi0", "video4linux", {{"index", "0"}});
  add(camera + "v4l-subdev7", "video4linux", {{"index", "3"}});
  EXPECT_EQ(position(camera + "video4"), "");
  EXPECT_EQ(position(camera + "video5"), "index1");
  EXPECT_EQ(position(camera + "vbi0"), "vbi");
  EXPECT_EQ(position(camera + "v4l-subdev7"), "v4l-subdev3");
}

TEST_F(DeviceIdentity, SerialPortUsesItsNumberOnTheDevice) {
  for (const auto& [name, port] : {std::pair("ttyUSB3", "0"), {"ttyUSB4", "1"}}) {
    add(kUsb + name, "usb-serial", {{"port_number", port}});
    add(kUsb + name + "/tty/" + name, "tty");
  }
  EXPECT_EQ(position(kUsb + "ttyUSB3/tty/ttyUSB3"), "");
  EXPECT_EQ(position(kUsb + "ttyUSB4/tty/ttyUSB4"), "port1");
  const std::string card = "pci0000:00/0000:04:00.0/0000:04:00.0:0";
  add(card, "serial-base");
  for (const auto& [port, name] : {std::pair("0", "ttyS4"), {"3", "ttyS7"}}) {
    add(card + "/0000:04:00.0:0." + port, "serial-base");
    add(card + "/0000:04:00.0:0." + port + "/tty/" + name, "tty");
  }
  EXPECT_EQ(position(card + "/0000:04:00.0:0.0/tty/ttyS4"), "");
  EXPECT_EQ(position(card + "/0000:04:00.0:0.3/tty/ttyS7"), "port3");
}

TEST_F(DeviceIdentity, SerialPortWithoutPortDeviceUsesItsRank) {
  const std::string card = "pci0000:00/0000:04:00.0/tty/";
  for (const char* name : {"ttyS8", "ttyS9", "ttyS10", "ttyS11"}) add(card + name, "tty");
  EXPECT_EQ(position(card + "ttyS8"), "");
  EXPECT_EQ(position(card + "ttyS9"), "port1");
  EXPECT_EQ(position(card + "ttyS10"), "port2");
  EXPECT_EQ(position(card + "ttyS11"), "port3");
}

TEST_F(DeviceIdentity, I2cAdapterUsesNameFromItsDriver) {
  const std::string gpu = "pci0000:00/0000:03:00.0/i2c-5";
  add(gpu + "/i2c-dev/i2c-5", "i2c-dev", {{"name", "AMDGPU DM i2c hw bus 0"}});
  EXPECT_EQ(position(gpu + "/i2c-dev/i2c-5"), "AMDGPU DM i2c hw bus 0");
  // The name of this adapter contains the number of another adapter, so it is not used.
  add(gpu + "/i2c-9/i2c-dev/i2c-9", "i2c-dev", {{"name", "i2c-5-mux (chan_id 1)"}});
  EXPECT_EQ(position(gpu + "/i2c-9/i2c-dev/i2c-9"), "");
  // The name of this adapter contains the number of a USB device, so it is not used.
  add(kUsb, "usb");
  add(kUsb + "i2c-7/i2c-dev/i2c-7", "i2c-dev", {{"name", "i2c-tiny-usb at bus 001 device 005"}});
  EXPECT_EQ(position(kUsb + "i2c-7/i2c-dev/i2c-7"), "");
}

TEST_F(DeviceIdentity, OtherDevicesUseTextAfterNumberInTheirName) {
  const std::string card = "pci0000:00/0000:5e:00.0/";
  EXPECT_EQ(position_of(card + "xdma/xdma0_h2c_1", "xdma"), "h2c_1");
  EXPECT_EQ(position_of(card + "dvb/dvb2.frontend0", "dvb"), "frontend0");
  EXPECT_EQ(position_of(card + "fpga_region/region0/dfl-port.0", "platform"), "dfl-port");
  EXPECT_EQ(position_of(card + "infiniband/mlx5_0", "infiniband"), "");
  EXPECT_EQ(position_of(card + "misc/hpilo!d0ccb3", "misc"), "");
  EXPECT_EQ(position_of(kUsb + "usbmisc/usbtmc0", "usbmisc"), "");
  add(card + "infiniband_mad/umad1", "infiniband_mad", {{"port", "2"}});
  add(card + "infiniband_mad/issm1", "infiniband_mad", {{"port", "2"}});
  EXPECT_EQ(position(card + "infiniband_mad/umad1"), "port2");
  EXPECT_EQ(position(card + "infiniband_mad/issm1"), "issm:port2");
}

}  // namespace
}  // namespace patchbay::host
