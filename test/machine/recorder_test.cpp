#include "machine/recorder.h"

#include <filesystem>

#include <gmock/gmock.h>

#include "fake/temp_dir.h"
#include "machine/machine_text.h"

namespace patchbay::machine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
namespace fs = std::filesystem;

/// Records a directory like /sys that has a serial adapter.
class RecorderTest : public testing::Test {
 protected:
  RecorderTest() {
    write(kAdapter + "/uevent", "DEVTYPE=usb_device\nDRIVER=usb\n");
    write(kAdapter + "/idVendor", "0403\n");
    write(kAdapter + "/urbnum", "17\n");
    write(kAdapter + "/config", "binary\x01");
    write(kAdapter + "/power/control", "on\n");
    write(kAdapter + "/queue/depth", "1\n");
    write(kAdapter + "/long", std::string(2000, 'x'));
    write(kPort + "/uevent", "MAJOR=188\nMINOR=0\nDEVNAME=ttyUSB0\n");
    link(kAdapter + "/subsystem", "bus/usb");
    link(kAdapter + "/driver", "bus/usb/drivers/usb");
    link(kAdapter + "/port", "devices/pci0/usb1-port4");
    link(kPort + "/subsystem", "class/tty");
    link(kPort + "/device", kAdapter);
    link("bus/usb/devices/1-4", kAdapter);
    link("class/tty/ttyUSB0", kPort);
    write("devices/pci0/uevent", "");
  }

  void write(const std::string& path, const std::string& content) { dir_.write(path, content); }
  void link(const std::string& path, const std::string& target) {
    const fs::path link = dir_ / path;
    fs::create_directories(link.parent_path());
    fs::create_directories(dir_ / target);
    fs::create_symlink(fs::relative(dir_ / target, link.parent_path()), link);
  }

  [[nodiscard]] Recording record() const {
    return record_devices(host::DeviceTree({}, fs::canonical(dir_.path())));
  }

  static inline const std::string kAdapter = "devices/pci0/1-4";
  static inline const std::string kPort = "devices/pci0/1-4/tty/ttyUSB0";
  fake::TempDir dir_;
};

TEST_F(RecorderTest, RecordsDevices) {
  const Recording recording = record();
  EXPECT_THAT(recording.left_out, IsEmpty());
  const Device& adapter = recording.machine.devices.at("/devices/pci0/1-4");
  EXPECT_EQ(adapter.subsystem, "usb");
  EXPECT_TRUE(adapter.on_bus);
  EXPECT_EQ(adapter.devtype, "usb_device");
  EXPECT_EQ(adapter.driver, "usb");
  EXPECT_THAT(adapter.attributes, ElementsAre(Pair("idVendor", "0403"), Pair("queue/depth", "1")));
  EXPECT_THAT(adapter.links, ElementsAre(Pair("port", "/devices/pci0/usb1-port4")));
  const Device& port = recording.machine.devices.at("/devices/pci0/1-4/tty/ttyUSB0");
  EXPECT_FALSE(port.on_bus);
  EXPECT_EQ(port.node, "ttyUSB0");
  EXPECT_EQ(port.number, (DeviceNumber{.block = false, .major = 188, .minor = 0}));
  EXPECT_THAT(port.links, IsEmpty()) << "readers make the link to the device above";
  EXPECT_EQ(recording.machine.devices.at("/devices/pci0").subsystem, "");
  EXPECT_EQ(recording.machine.devices.size(), 3U);
}

TEST_F(RecorderTest, AddsFactsThatRulesReadExceptSecrets) {
  Machine machine = record().machine;
  DeviceFacts facts;
  const host::DeviceTree tree({}, fs::canonical(dir_.path()));
  facts.key = tree.top + "/pci0/1-4";
  facts.kind = DeviceKind::kernel_device;
  write("devices/pci0/1-4/dhchap_secret", "1\n");
  facts.known = FactValues{{Fact::attribute, "urbnum", "17"},
                           {Fact::attribute, "dhchap_secret", "1"},
                           {Fact::attribute, "*/depth", "1"},
                           {Fact::file, "/proc/devices", "1 mem"}};
  DeviceFacts path;
  path.key = dir_.write("glob/a", "content");
  path.kind = DeviceKind::path;
  add_entities(
      {std::make_shared<const DeviceFacts>(facts), std::make_shared<const DeviceFacts>(path)}, tree,
      machine);
  const Device& adapter = machine.devices.at("/devices/pci0/1-4");
  EXPECT_THAT(adapter.attributes, ElementsAre(Pair("idVendor", "0403"), Pair("queue/depth", "1"),
                                              Pair("urbnum", "17")));
  EXPECT_EQ(machine.files.at("/proc/devices").content, "1 mem");
  EXPECT_EQ(machine.files.at(path.key).kind, HostFile::Kind::file);
}

TEST_F(RecorderTest, AddsEachLinkOfAPath) {
  dir_.write("glob/real", "");
  fs::create_symlink("real", dir_ / "glob/middle");
  fs::create_symlink("middle", dir_ / "glob/first");
  Machine machine;
  add_host_paths({dir_ / "glob/first"}, {}, machine);
  EXPECT_EQ(machine.files.at(dir_ / "glob/first").content, "middle");
  EXPECT_EQ(machine.files.at(dir_ / "glob/middle").content, "real");
  EXPECT_EQ(machine.files.at(dir_ / "glob/real").kind, HostFile::Kind::file);
}

TEST_F(RecorderTest, EndsAtALoopOfLinks) {
  fs::create_symlink("b", dir_ / "a");
  fs::create_symlink("a", dir_ / "b");
  Machine machine;
  add_host_paths({dir_ / "a"}, {}, machine);
  EXPECT_EQ(machine.files.size(), 2U);
}

TEST_F(RecorderTest, OmitsUnwritableAndSecretAttributes) {
  write("devices/pci0/1-4/a=b", "1\n");
  write("devices/pci0/1-4/new\nline", "1\n");
  write("devices/pci0/1-4/binary", "\x01\xff");
  write("devices/pci0/1-4/resource0", "1\n");
  write("devices/pci0/1-4/password", "1\n");
  const Recording recording = record();
  EXPECT_THAT(recording.machine.devices.at("/devices/pci0/1-4").attributes,
              ElementsAre(Pair("idVendor", "0403"), Pair("queue/depth", "1")));
}

TEST_F(RecorderTest, OmitsDevicesWhoseNameCannotBePrinted) {
  // The names contain ESC, DEL, a C1 control (U+009B), and the line separator U+2028.
  for (const std::string name : {"e\x1b[31m", "e\x7f", "e\xc2\x9b", "e\xe2\x80\xa8"}) {
    const std::string device = "devices/virtual/net/" + name;
    write(device + "/uevent", "INTERFACE=x\nIFINDEX=7\n");
    link(device + "/subsystem", "class/net");
    link("class/net/" + name, device);
    link("devices/pci0/1-4/to" + std::to_string(name.size()), device);
  }
  write(kPort + "/uevent", "MAJOR=188\nMINOR=0\nDEVNAME=ttyUSB\x1b\n");
  const Recording recording = record();
  const std::string left = " has a name with control characters";
  const std::string top = fs::canonical(dir_.path()).string() + "/devices/";
  EXPECT_THAT(
      recording.left_out,
      ElementsAre(top + "virtual/net/e\x1b[31m" + left, top + "virtual/net/e\x7f" + left,
                  top + "virtual/net/e\xc2\x9b" + left, top + "virtual/net/e\xe2\x80\xa8" + left));
  EXPECT_EQ(recording.machine.devices.size(), 4U) << "with two that have no subsystem";
  EXPECT_THAT(recording.machine.devices.at("/devices/pci0/1-4").links,
              ElementsAre(Pair("port", "/devices/pci0/usb1-port4")));
  EXPECT_EQ(recording.machine.devices.at("/devices/pci0/1-4/tty/ttyUSB0").node, "");
  const std::string text = write_machine(recording.machine, {});
  EXPECT_TRUE(read_machine("m", text)) << text;
}

TEST_F(RecorderTest, AddsFilesThatConditionsOnNodeRead) {
  Machine machine;
  NodeFacts facts;
  facts.files = {{"/etc/kind", "bench"}};
  facts.globs = {dir_.write("glob/a", "") + "*"};
  add_node_facts(facts, {}, machine);
  EXPECT_EQ(machine.files.at("/etc/kind").content, "bench");
  EXPECT_TRUE(machine.files.contains(dir_ / "glob/a"));
}

}  // namespace
}  // namespace patchbay::machine
