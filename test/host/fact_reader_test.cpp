#include "host/facts/fact_reader.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fake/facts.h"
#include "fake/sysfs_tree.h"
#include "fake/temp_dir.h"
#include "host/file_and_link.h"

namespace patchbay::host {
namespace {

WantedFacts hardware() {
  WantedFacts wanted = fake::wanting({{Fact::driver}, {Fact::numa_node}, {Fact::iommu_group}});
  for (const Fact fact : {Fact::usb, Fact::pci}) {
    for (const FactField& field : info(fact).fields) {
      if (!field.about.empty()) wanted.add(fact, field.name);
    }
  }
  return wanted;
}
const WantedFacts kHardware = hardware();

/// For simulated machines in the kernel's layout.
class FactReaderTest : public testing::Test {
 protected:
  /// The facts of a device, which must exist.
  [[nodiscard]] DeviceFacts read(const std::string& device,
                                 const WantedFacts& wanted = kHardware) const {
    auto query = std::make_shared<HostQuery>();
    query->subsystems = {"*"};
    query->wanted = [wanted](const DeviceFacts&) { return wanted; };
    const Reading reading =
        FactReader(std::move(query), {}, tree.root()).read({.key = tree.syspath(device)});
    EXPECT_TRUE(reading.facts) << device;
    return reading.facts ? *reading.facts : DeviceFacts{};
  }

  /// Adds a controller with a root hub of this version of USB, and returns the path of the root
  /// hub.
  std::string add_bus(const std::string& version) const {
    tree.write("pci0000:00/uevent", "");
    const std::string controller = "pci0000:00/0000:00:14.0";
    tree.add(
        controller, "pci",
        {{"vendor", "0x8086"}, {"device", "0x9D2F"}, {"class", "0x0c0330"}, {"numa_node", "-1"}});
    tree.link(controller + "/driver", "../../bus/pci/drivers/xhci_hcd");
    std::string bus = controller + "/usb1";
    tree.add(
        bus, "usb",
        {{"idVendor", "1d6b"}, {"idProduct", "0002"}, {"version", " " + version}, {"devpath", "0"}},
        "DEVTYPE=usb_device\n");
    return bus;
  }

  /// The path of an adapter at ports 2.4 of the bus.
  static std::string adapter_of(const std::string& bus) { return bus + "/1-2/1-2.4"; }
  void add_adapter(const std::string& bus, const std::string& product,
                   const std::string& serial) const {
    tree.add(bus + "/1-2", "usb", {{"idVendor", "05e3"}, {"idProduct", "0610"}, {"devpath", "2"}});
    fake::SysfsTree::Files files{{"idVendor", "0403"}, {"idProduct", product}, {"devpath", "2.4"}};
    if (!serial.empty()) files["serial"] = serial;
    tree.add(adapter_of(bus), "usb", files, "DEVTYPE=usb_device\n");
  }
  /// Adds an interface of the adapter with its terminal, and returns the terminal.
  std::string add_terminal(const std::string& bus, int number) const {
    const std::string interface = adapter_of(bus) + "/1-2.4:1." + std::to_string(number);
    tree.add(interface, "usb", {{"bInterfaceNumber", "0" + std::to_string(number)}},
             "DEVTYPE=usb_interface\n");
    tree.link(interface + "/driver", "../../bus/usb/drivers/ftdi_sio");
    const std::string name = "ttyUSB" + std::to_string(number);
    tree.add(interface + '/' + name, "usb-serial");
    std::string terminal = interface + '/' + name + "/tty/" + name;
    tree.add(terminal, "tty", {}, "MAJOR=188\nMINOR=" + std::to_string(number) + "\n");
    return terminal;
  }

  fake::SysfsTree tree;
};

TEST_F(FactReaderTest, ReadsTheUsbAncestorOfATerminal) {
  const std::string bus = add_bus("2.00");
  add_adapter(bus, "6001", "LAB42");
  const DeviceFacts facts = read(add_terminal(bus, 0));
  EXPECT_EQ(fake::named(facts, Fact::usb), (NamedValues{{"vendor", "0403"},
                                                        {"product", "6001"},
                                                        {"serial", "LAB42"},
                                                        {"socket", "0000:00:14.0-usbv2-2.4"},
                                                        {"interface", "00"}}));
  EXPECT_EQ(fake::named(facts, Fact::pci), (NamedValues{{"vendor", "8086"},
                                                        {"device", "9d2f"},
                                                        {"class", "0c0330"},
                                                        {"driver", "xhci_hcd"},
                                                        {"address", "0000:00:14.0"}}));
  EXPECT_EQ(facts.known.first(Fact::driver), "ftdi_sio");
}

TEST_F(FactReaderTest, DistinguishesPortsOfOneAdapter) {
  const std::string bus = add_bus("3.10");
  add_adapter(bus, "6011", "");
  for (int number = 0; number < 4; ++number) {
    const DeviceFacts facts = read(add_terminal(bus, number));
    EXPECT_EQ(fake::named(facts, Fact::usb),
              (NamedValues{{"vendor", "0403"},
                           {"product", "6011"},
                           {"socket", "0000:00:14.0-usbv3-2.4"},
                           {"interface", "0" + std::to_string(number)}}));
  }
}

TEST_F(FactReaderTest, UsbDeviceHasNoInterface) {
  const std::string bus = add_bus("2.00");
  add_adapter(bus, "6001", "LAB42");
  const DeviceFacts adapter = read(adapter_of(bus));
  EXPECT_EQ(adapter.known.first(Fact::usb, "serial"), "LAB42");
  EXPECT_FALSE(adapter.known.has(Fact::usb, "interface"));
  EXPECT_EQ(read(bus).known.first(Fact::usb, "socket"), "0000:00:14.0-usbv2-0");
}

TEST_F(FactReaderTest, ReadsTheNodeOfTheUsbAncestor) {
  const std::string bus = add_bus("2.00");
  add_adapter(bus, "6001", "LAB42");
  const std::string terminal = add_terminal(bus, 0);
  const WantedFacts node = fake::wanting({{Fact::usb, "devnode"}});
  EXPECT_TRUE(fake::named(read(terminal, node), Fact::usb).empty()) << "its numbers are not known";
  tree.write(adapter_of(bus) + "/busnum", "1\n");
  tree.write(adapter_of(bus) + "/devnum", "27\n");
  EXPECT_EQ(fake::named(read(terminal, node), Fact::usb),
            (NamedValues{{"devnode", "/dev/bus/usb/001/027"}}));
  tree.write(adapter_of(bus) + "/devnum", "../7\n");
  EXPECT_TRUE(fake::named(read(terminal, node), Fact::usb).empty());
}

TEST_F(FactReaderTest, ReadsUsbSocketWithoutPciController) {
  const std::string bus = "platform/dummy_hcd.0/usb3";
  tree.add("platform/dummy_hcd.0", "platform");
  tree.add(bus, "usb", {{"idVendor", "1d6b"}, {"version", " 2.00"}, {"devpath", "0"}});
  tree.add(bus + "/3-1", "usb", {{"idVendor", "0525"}, {"devpath", "1"}});
  const DeviceFacts facts = read(bus + "/3-1");
  EXPECT_EQ(facts.known.first(Fact::usb, "socket"), "dummy_hcd.0-usbv2-1");
  EXPECT_TRUE(fake::named(facts, Fact::pci).empty());
}

TEST_F(FactReaderTest, ReadsVirtualFunctionsOfANic) {
  const std::string port = "pci0000:3a/0000:3a:00.0";
  tree.add(port, "pci", {{"vendor", "0x8086"}});
  const std::string pf = port + "/0000:3b:00.0";
  tree.add(pf, "pci", {{"vendor", "0x15b3"}, {"class", "0x020000"}});
  tree.add(pf + "/net/ens1f0_0", "net", {{"phys_port_name", "pf0vf0"}});
  tree.add(pf + "/net/ens1f0np0", "net", {{"phys_port_name", "p0"}});
  for (const std::string number : {"0", "1", "10"}) {
    const std::string name = number == "10" ? "0000:3b:01.2" : "0000:3b:00." + number + "1";
    const std::string vf = port + '/' + name;
    tree.add(vf, "pci", {{"vendor", "0x15b3"}, {"device", "0x1018"}});
    tree.link(vf + "/physfn", "../0000:3b:00.0");
    tree.link(pf + "/virtfn" + number, "../" + name);
  }
  const std::string interface = port + "/0000:3b:01.2/net/ens1f0v10";
  tree.add(interface, "net");
  EXPECT_EQ(fake::named(read(interface), Fact::pci), (NamedValues{{"vendor", "15b3"},
                                                                  {"device", "1018"},
                                                                  {"address", "0000:3b:01.2"},
                                                                  {"rootPort", "0000:3a:00.0"},
                                                                  {"physfn", "0000:3b:00.0"},
                                                                  {"pfName", "ens1f0np0"},
                                                                  {"vf", "10"}}));
  const DeviceFacts physical = read(pf + "/net/ens1f0np0");
  EXPECT_EQ(fake::named(physical, Fact::pci), (NamedValues{{"vendor", "15b3"},
                                                           {"class", "020000"},
                                                           {"address", "0000:3b:00.0"},
                                                           {"rootPort", "0000:3a:00.0"}}));
}

TEST_F(FactReaderTest, PhysicalInterfaceCanBeBehindVirtio) {
  const std::string pf = "pci0000:00/0000:01:00.0";
  tree.add(pf, "pci", {{"vendor", "0x1af4"}});
  tree.add(pf + "/virtio0", "virtio");
  tree.add(pf + "/virtio0/net/ens1f0", "net");
  const std::string vf = "pci0000:00/0000:01:00.1";
  tree.add(vf, "pci", {{"vendor", "0x1af4"}});
  tree.add(vf + "/virtio1/net/ens1f0v0", "net");
  tree.link(vf + "/physfn", "../0000:01:00.0");
  tree.link(pf + "/virtfn0", "../0000:01:00.1");
  const auto values = fake::named(read(vf), Fact::pci);
  EXPECT_THAT(values, testing::Contains(testing::Pair("pfName", "ens1f0")));
}

TEST_F(FactReaderTest, TakesNumaNodeAndIommuGroupFromTheNearestAncestor) {
  const std::string gpu = "pci0000:c0/0000:c0:01.0/0000:c1:00.0";
  tree.add("pci0000:c0/0000:c0:01.0", "pci", {{"numa_node", "0"}});
  tree.add(gpu, "pci",
           {{"vendor", "0x1002"},
            {"device", "0x73BF"},
            {"subsystem_vendor", "0x1DA2"},
            {"subsystem_device", "0xe445"},
            {"class", "0x030000"},
            {"numa_node", "1"}});
  tree.link(gpu + "/iommu_group", "../../../../kernel/iommu_groups/27");
  tree.add(gpu + "/drm/renderD128", "drm");
  const DeviceFacts facts = read(gpu + "/drm/renderD128");
  EXPECT_EQ(facts.known.first(Fact::numa_node), "1");
  EXPECT_EQ(facts.known.first(Fact::iommu_group), "27");
  EXPECT_EQ(facts.known.first(Fact::pci, "subsystemVendor"), "1da2");
  EXPECT_EQ(facts.known.first(Fact::pci, "subsystemDevice"), "e445");
  tree.write("pci0000:c0/0000:c0:01.0/0000:c1:00.0/numa_node", "-1\n");
  tree.write("pci0000:c0/0000:c0:01.0/numa_node", "-1\n");
  EXPECT_EQ(read(gpu).known.first(Fact::numa_node), "");
}

TEST_F(FactReaderTest, BusDeviceHasOnlyItsOwnDriver) {
  const std::string bridge = "pci0000:00/0000:00:01.0";
  const std::string bound = bridge + "/0000:01:00.0";
  const std::string unbound = bridge + "/0000:01:00.1";
  tree.add(bridge, "pci");
  tree.link(bridge + "/driver", "../../bus/pci/drivers/pcieport");
  tree.add(bound, "pci");
  tree.link(bound + "/driver", "../../bus/pci/drivers/nvme");
  tree.add(unbound, "pci");
  EXPECT_EQ(read(bridge).known.first(Fact::driver), "pcieport");
  EXPECT_EQ(read(bound).known.first(Fact::driver), "nvme");
  EXPECT_EQ(read(unbound).known.first(Fact::driver), "");
}

TEST_F(FactReaderTest, ClassDeviceHasTheDriverOfTheNearestAncestor) {
  const std::string function = "pci0000:00/0000:01:00.0";
  tree.add(function, "pci");
  tree.link(function + "/driver", "../../bus/pci/drivers/nvme");
  tree.add(function + "/nvme/nvme0", "nvme");
  tree.add(function + "/nvme/nvme0/nvme0n1", "block");
  tree.add(function + "/nvme/nvme0/nvme0n1/nvme0n1p1", "block");
  EXPECT_EQ(read(function + "/nvme/nvme0").known.first(Fact::driver), "nvme");
  EXPECT_EQ(read(function + "/nvme/nvme0/nvme0n1/nvme0n1p1").known.first(Fact::driver), "nvme");
  tree.add("virtual/block/zram0", "block");
  EXPECT_EQ(read("virtual/block/zram0").known.first(Fact::driver), "");
}

TEST_F(FactReaderTest, ReadsOnlyWantedFacts) {
  const std::string bus = add_bus("2.00");
  add_adapter(bus, "6001", "LAB42");
  const DeviceFacts facts = read(add_terminal(bus, 0), fake::wanting({{Fact::usb, "serial"}}));
  EXPECT_EQ(fake::named(facts, Fact::usb), (NamedValues{{"serial", "LAB42"}}));
  EXPECT_TRUE(fake::named(facts, Fact::pci).empty());
  EXPECT_EQ(facts.known.first(Fact::driver), "");
}

TEST_F(FactReaderTest, ReadsWantedFactsOfAncestors) {
  const std::string bus = add_bus("2.00");
  add_adapter(bus, "6001", "LAB42");
  WantedFacts wanted{.relevant = true};
  wanted.for_ancestors().add(Fact::attribute, "serial");
  wanted.for_ancestors().add(Fact::attribute, "numa_node");
  const DeviceFacts facts = read(add_terminal(bus, 0), wanted);
  std::vector<std::string> subsystems;
  for (const DeviceFacts& above : facts.ancestors) subsystems.push_back(above.subsystem);
  EXPECT_EQ(subsystems,
            (std::vector<std::string>{"usb-serial", "usb", "usb", "usb", "usb", "pci"}));
  EXPECT_EQ(facts.ancestors.at(1).devtype, "usb_interface");
  EXPECT_EQ(fake::lists(facts.ancestors.at(2), Fact::attribute),
            (ValueLists{{"serial", {"LAB42"}}}));
  EXPECT_EQ(facts.ancestors.at(5).name, "0000:00:14.0");
}

TEST_F(FactReaderTest, WildcardYieldsValuesOfAllMatchingFiles) {
  tree.add("gpu", "pci");
  tree.write("gpu/hwmon/hwmon3/temp1_input", "41000\n");
  const WantedFacts wanted =
      fake::wanting({{Fact::attribute, "hwmon/*/temp1_input"}, {Fact::attribute, "net/*/carrier"}});
  EXPECT_EQ(fake::lists(read("gpu", wanted), Fact::attribute),
            (ValueLists{{"hwmon/*/temp1_input", {"41000"}}}));
  tree.write("gpu/hwmon/hwmon10/temp1_input", "42000\n");
  EXPECT_EQ(fake::lists(read("gpu", wanted), Fact::attribute),
            (ValueLists{{"hwmon/*/temp1_input", {"41000", "42000"}}}));
}

TEST_F(FactReaderTest, FilesToReadMayDependOnOtherFacts) {
  const fake::TempDir root;
  root.write("etc/lab/LAB42", "bench 7\n");
  root.write("etc/lab/LAB42.empty", "");
  const std::string bus = add_bus("2.00");
  add_adapter(bus, "6001", "LAB42");
  HostQuery query;
  query.subsystems = {"usb"};
  query.wanted = [](const DeviceFacts&) { return kHardware; };
  query.files = [](const DeviceFacts& facts) {
    const std::string file = fmt::format("/etc/lab/{}", facts.known.first(Fact::usb, "serial"));
    return std::vector<std::string>{file, file + ".empty", file + ".missing"};
  };
  FactReader reader(std::make_shared<const HostQuery>(query), paths::HostRoot(root.path()),
                    tree.root());
  const Reading reading = reader.read({.key = tree.syspath(adapter_of(bus))});
  ASSERT_TRUE(reading.facts);
  EXPECT_EQ(fake::named(*reading.facts, Fact::file),
            (NamedValues{{"/etc/lab/LAB42", "bench 7"}, {"/etc/lab/LAB42.empty", ""}}));
  EXPECT_EQ(reading.files, query.files(*reading.facts));
}

TEST(CachedReadTest, CachedReadEqualsBlockingReadOrFails) {
  if (!paths::HostRoot().try_open("/")) GTEST_SKIP() << "the kernel knows no RESOLVE_CACHED";
  FileAndLink files;
  auto& [dir, file, link, query] = files;
  FactReader reader(std::make_shared<const HostQuery>(query), {});
  const Target target{.key = file, .found_by = {{dir / "*"}}, .by_glob = true};
  paths::NonblockingStat nonblocking{paths::HostRoot()};
  EXPECT_FALSE(reader.try_read_cached(target, nonblocking))
      << "its file system may hang, as far as is known";
  ASSERT_TRUE(nonblocking.stat_blocking(file));
  const auto glanced = reader.try_read_cached(target, nonblocking);
  ASSERT_TRUE(glanced && glanced->facts);
  EXPECT_EQ(*glanced->facts, *reader.read(target).facts);
  for (const std::string& other : {link, dir / "none"}) {
    EXPECT_FALSE(reader.try_read_cached({.key = other, .found_by = {{dir / "*"}}, .by_glob = true},
                                        nonblocking));
  }
  // The query of each plan has this function. Only a device for which it returns files cannot be
  // read without blocking.
  query.files = [](const DeviceFacts& facts) {
    return facts.name == "file" ? std::vector<std::string>{} : std::vector<std::string>{"/etc/lab"};
  };
  const FactReader of_files(std::make_shared<const HostQuery>(query), {});
  EXPECT_TRUE(of_files.try_read_cached(target, nonblocking));
  const std::string other = dir.write("other", "");
  EXPECT_FALSE(of_files.try_read_cached({.key = other, .found_by = {{dir / "*"}}, .by_glob = true},
                                        nonblocking));
}

TEST_F(FactReaderTest, ReadsFilesOfADirectoryWithoutDevice) {
  const fake::TempDir root;
  root.write("etc/lab/bench", "7\n");
  tree.write("system/bench/size", "3");
  HostQuery query;
  query.wanted = [](const DeviceFacts&) { return kHardware; };
  query.files = [](const DeviceFacts&) { return std::vector<std::string>{"/etc/lab/bench"}; };
  FactReader reader(std::make_shared<const HostQuery>(query), paths::HostRoot(root.path()),
                    tree.root());
  const std::string key = tree.syspath("system/bench");
  const Reading reading = reader.read({.key = key, .found_by = {{key, key}}, .by_sysfs = true});
  ASSERT_TRUE(reading.facts);
  EXPECT_EQ(reading.facts->kind, DeviceKind::sysfs_directory);
  EXPECT_EQ(fake::named(*reading.facts, Fact::file), (NamedValues{{"/etc/lab/bench", "7"}}));
}

}  // namespace
}  // namespace patchbay::host
