#include <algorithm>
#include <filesystem>
#include <span>

#include "base/text.h"
#include "fake/sysfs_tree.h"
#include "host/facts/fact_reader.h"
#include "inventory/inventory_fixture.h"
#include "rules/compile.h"

/// Tests that default ids survive replug, reboot and renumbering. Reads the facts of simulated
/// machines.
namespace patchbay::inventory {
namespace {

namespace fs = std::filesystem;

/// A USB serial adapter at a port of a hub.
struct Adapter {
  std::string ports;      ///< From the root hub to the adapter, such as "2.4".
  std::string serial{};   ///< Empty if it has no serial.
  size_t interfaces = 1;  ///< Each has a terminal.
  std::string product = "6001";
};

/// Numbers that can differ after each boot of the kernel.
struct Boot {
  size_t usb2_bus = 1;
  size_t usb3_bus = 2;
  size_t first_device = 2;
  size_t first_terminal = 0;
};

const std::string kController = "pci0000:00/0000:00:14.0";

/// A machine with one controller and the plugged adapters.
class Machine {
 public:
  explicit Machine(const Boot& boot) : boot_(boot), next_device_(boot.first_device) {
    tree_.write("pci0000:00/uevent", "");
    tree_.add(kController, "pci", {{"vendor", "0x8086"}, {"class", "0x0c0330"}});
    add_bus(boot.usb2_bus, "2.00");
    add_bus(boot.usb3_bus, "3.10");
  }

  /// Adds the adapter. Its interfaces get the next numbers of terminals, in their order.
  void plug(const Adapter& adapter) {
    const std::string bus = std::to_string(boot_.usb2_bus);
    const std::string hub =
        kController + "/usb" + bus + "/" + bus + "-" + adapter.ports.substr(0, 1);
    if (!fs::exists(tree_.syspath(hub))) {
      tree_.add(hub, "usb", {{"idVendor", "05e3"}, {"devpath", adapter.ports.substr(0, 1)}});
    }
    const std::string name = bus + "-" + adapter.ports;
    const std::string device = hub + "/" + name;
    fake::SysfsTree::Files files{{"idVendor", "0403"},
                                 {"idProduct", adapter.product},
                                 {"devpath", adapter.ports},
                                 {"devnum", std::to_string(next_device_++)}};
    if (!adapter.serial.empty()) files["serial"] = adapter.serial;
    tree_.add(device, "usb", files, "DEVTYPE=usb_device\n");
    for (size_t i = 0; i < adapter.interfaces; ++i) add_terminal(device, name, i);
  }

  /// Applies all terminals, in the order of arrival.
  void add_to(Inventory& inventory) const {
    const auto query = rules::host_query(inventory.plan());
    for (const std::string& terminal : terminals_) {
      const auto reading =
          host::FactReader(query, {}, tree_.root()).read({.key = tree_.syspath(terminal)});
      ASSERT_TRUE(reading.facts) << terminal;
      inventory.apply(reading.facts);
    }
  }

 private:
  void add_bus(size_t number, const std::string& version) const {
    tree_.add(kController + "/usb" + std::to_string(number), "usb",
              {{"idVendor", "1d6b"}, {"version", " " + version}, {"devpath", "0"}},
              "DEVTYPE=usb_device\n");
  }

  void add_terminal(const std::string& device, const std::string& name, size_t number) {
    const std::string interface = device + "/" + name + ":1." + std::to_string(number);
    tree_.add(interface, "usb", {{"bInterfaceNumber", "0" + std::to_string(number)}},
              "DEVTYPE=usb_interface\n");
    const size_t minor = boot_.first_terminal + terminals_.size();
    const std::string tty = "ttyUSB" + std::to_string(minor);
    tree_.add(interface + "/" + tty, "usb-serial");
    terminals_.push_back(interface + "/" + tty + "/tty/" + tty);
    tree_.add(terminals_.back(), "tty", {},
              "MAJOR=188\nMINOR=" + std::to_string(minor) + "\nDEVNAME=" + tty + "\n");
  }

  Boot boot_;
  size_t next_device_;
  fake::SysfsTree tree_;
  Strings terminals_;
};

/// Eight adapters of one model, half of them without a serial, and one of another model with four
/// terminals.
std::vector<Adapter> bench() {
  return {{"1.1", "LAB1"}, {"1.2"},         {"1.3", "LAB3"},
          {"1.4"},         {"2.1"},         {"2.2", "LAB6"},
          {"2.3"},         {"2.4", "LAB8"}, {"3.1", "", 4, "6011"}};
}

const Strings kIds{"0000:00:14.0-usbv2-1.2:00",
                   "0000:00:14.0-usbv2-1.4:00",
                   "0000:00:14.0-usbv2-2.1:00",
                   "0000:00:14.0-usbv2-2.3:00",
                   "0000:00:14.0-usbv2-3.1:00",
                   "0000:00:14.0-usbv2-3.1:01",
                   "0000:00:14.0-usbv2-3.1:02",
                   "0000:00:14.0-usbv2-3.1:03",
                   "LAB1:00",
                   "LAB3:00",
                   "LAB6:00",
                   "LAB8:00"};

const std::string kTerminals =
    "  - {name: a.io/uart, match: {subsystem: tty, usb: {vendor: \"0403\"}}}\n";

/// The ids of the units after a boot, with the adapters in the order of their arrival.
Strings ids_after(const Boot& boot, const std::vector<Adapter>& adapters,
                  const std::string& resources = kTerminals) {
  Machine machine(boot);
  for (const Adapter& adapter : adapters) machine.plug(adapter);
  Inventory inventory(plan_of(resources));
  machine.add_to(inventory);
  EXPECT_EQ(refusals(inventory.resolve(kStart)), Strings{});
  return units(inventory.last());
}

TEST(UnitIds, EqualAdaptersUseSerialOrPort) { EXPECT_EQ(ids_after({}, bench()), kIds); }

TEST(UnitIds, DoNotDependOnOrderOfArrival) {
  std::vector<Adapter> adapters = bench();
  std::ranges::reverse(adapters);
  EXPECT_EQ(ids_after({}, adapters), kIds);
  std::ranges::rotate(adapters, adapters.begin() + 4);
  EXPECT_EQ(ids_after({}, adapters), kIds);
}

TEST(UnitIds, DoNotDependOnBusNumbers) {
  std::vector<Adapter> adapters = bench();
  std::ranges::rotate(adapters, adapters.begin() + 3);
  EXPECT_EQ(
      ids_after({.usb2_bus = 3, .usb3_bus = 4, .first_device = 17, .first_terminal = 9}, adapters),
      kIds);
  EXPECT_EQ(ids_after({.usb2_bus = 2, .usb3_bus = 1, .first_device = 120}, adapters), kIds);
}

TEST(UnitIds, DoNotDependOnLaterDevices) {
  const std::vector<Adapter> adapters = bench();
  Machine machine({});
  Inventory inventory(plan_of(kTerminals));
  for (const Adapter& adapter : std::span(adapters).subspan(4)) machine.plug(adapter);
  machine.add_to(inventory);
  const Strings first = units(inventory.resolve(kStart));
  EXPECT_EQ(first.size(), 8U);
  for (const Adapter& adapter : std::span(adapters).first(4)) machine.plug(adapter);
  machine.add_to(inventory);
  const Strings all = units(inventory.resolve(kStart));
  EXPECT_EQ(all, kIds);
  EXPECT_TRUE(std::ranges::includes(all, first, natural_less));
}

TEST(UnitIds, UnitsRecoverAfterReplugOfAllAdapters) {
  Machine before({});
  for (const Adapter& adapter : bench()) before.plug(adapter);
  Inventory inventory(plan_of(kTerminals));
  before.add_to(inventory);
  inventory.resolve(kStart);
  // All adapters disappear and return in another order, as after the replug of a hub.
  std::vector<std::string> gone;
  for (const Unit& unit : inventory.last().resources.at(0).snapshot->units) {
    gone.push_back(unit.members->devices.front().facts->key);
  }
  for (const std::string& key : gone) inventory.remove(key);
  for (const std::string& unit : units(inventory.resolve(kStart + seconds(1)))) {
    EXPECT_TRUE(unit.ends_with(": the device is gone")) << unit;
  }
  Machine after({.usb2_bus = 5, .usb3_bus = 6, .first_device = 44, .first_terminal = 20});
  std::vector<Adapter> adapters = bench();
  std::ranges::reverse(adapters);
  for (const Adapter& adapter : adapters) after.plug(adapter);
  after.add_to(inventory);
  EXPECT_EQ(units(inventory.resolve(kStart + seconds(2))), kIds);
  EXPECT_FALSE(inventory.last().next_change);
}

TEST(UnitIds, SerialIdFollowsMovedAdapter) {
  std::vector<Adapter> adapters = bench();
  adapters[0].ports = "3.3";
  EXPECT_EQ(ids_after({}, adapters), kIds);
}

TEST(UnitIds, PortIdStaysWithPort) {
  std::vector<Adapter> adapters = bench();
  std::swap(adapters[1].ports, adapters[3].ports);  // Both have no serial.
  EXPECT_EQ(ids_after({}, adapters), kIds);
}

TEST(UnitIds, TerminalsOfOneAdapterFormOneUnit) {
  const std::string grouped =
      "  - name: a.io/uart\n    match: {subsystem: tty, usb: {product: \"6011\"}}\n"
      "    by: $(usb.socket)\n    size: 4\n";
  EXPECT_EQ(ids_after({}, bench(), grouped), Strings{"0000:00:14.0-usbv2-3.1"});
  EXPECT_EQ(ids_after({.usb2_bus = 3, .usb3_bus = 4, .first_terminal = 6}, bench(), grouped),
            Strings{"0000:00:14.0-usbv2-3.1"});
}

TEST(UnitIds, EqualSerialsAreRefused) {
  Machine machine({});
  for (const std::string ports : {"1.1", "1.2"}) machine.plug({ports, "CLONE"});
  machine.plug({"1.3", "OWN"});
  Inventory inventory(plan_of(kTerminals));
  machine.add_to(inventory);
  const Resolution& resolution = inventory.resolve(kStart);
  EXPECT_EQ(units(resolution), Strings{"OWN:00"});
  ASSERT_EQ(all_refusals(resolution).size(), 2U);
  for (const Refusal& refusal : all_refusals(resolution)) {
    EXPECT_EQ(refusal.id, "CLONE:00");
    EXPECT_EQ(refusal.reason.find("the id 'CLONE:00' is also the id of "), 0U) << refusal.reason;
  }
  // With an id from the port, devices with equal serials get different ids.
  EXPECT_EQ(ids_after({}, {{"1.1", "CLONE"}, {"1.2", "CLONE"}},
                      "  - {name: a.io/uart, match: {subsystem: tty}, id: $(usb.socket)}\n"),
            (Strings{"0000:00:14.0-usbv2-1.1", "0000:00:14.0-usbv2-1.2"}));
}

TEST(UnitIds, RefusedUnitReleasesItsId) {
  Inventory inventory(
      plan_of("  - {name: a.io/a, match: {subsystem: tty}, id: same, envs: {S: "
              "$(property.SERIAL)}}\n"));
  inventory.apply(shared(serial("tty0", "")));
  inventory.apply(shared(serial("tty1", "7")));
  EXPECT_EQ(devices_of(inventory.resolve(kStart), "same"), Strings{"tty1"});
  inventory.apply(shared(serial("tty1", "")));
  inventory.apply(shared(serial("tty0", "7")));
  EXPECT_EQ(devices_of(inventory.resolve(kStart), "same"), Strings{"tty0"});
}

/// The device node of an I2C bus. `adapters` are the firmware nodes of the devices above it,
/// nearest first.
DeviceFacts bus(const std::string& name, const std::vector<std::string>& adapters) {
  DeviceFacts facts = serial(name, "");
  facts.subsystem = "i2c-dev";
  for (const std::string& of_node : adapters) {
    DeviceFacts adapter;
    adapter.subsystem = "i2c";
    if (!of_node.empty()) fake::set(adapter, Fact::property, "OF_FULLNAME", {of_node});
    facts.ancestors.push_back(adapter);
  }
  return facts;
}

const std::string kBuses =
    "  - name: a.io/i2c\n"
    "    match: {subsystem: i2c-dev, ancestor: {subsystem: i2c, property: {OF_FULLNAME: {regex: "
    "'/(?P<place>.*)'}}}}\n"
    "    id: $(capture.place)\n";

TEST(UnitIds, InheritedIdBelongsToNearestDevice) {
  Inventory inventory(plan_of(kBuses));
  // i2c-2 and i2c-3 are channels of a multiplexer. They inherit the firmware node of the adapter
  // i2c-0.
  inventory.apply(shared(bus("i2c-2", {"", "/i2c@ff020000"})));
  inventory.apply(shared(bus("i2c-0", {"/i2c@ff020000"})));
  inventory.apply(shared(bus("i2c-3", {"", "/i2c@ff020000"})));
  inventory.apply(shared(bus("i2c-4", {"/i2c@ff020000/mux/i2c@2", "/i2c@ff020000"})));
  const Resolution& resolution = inventory.resolve(kStart);
  EXPECT_EQ(devices_of(resolution, "i2c_ff020000"), Strings{"i2c-0"});
  EXPECT_EQ(devices_of(resolution, "i2c_ff020000_mux_i2c_2"), Strings{"i2c-4"});
  const std::string reason =
      " [i2c_ff020000]: the id 'i2c_ff020000' is also the id of /sys/devices/usb/i2c-0, which is "
      "nearer to the device with that value";
  EXPECT_EQ(refusals(resolution),
            (Strings{"0 /sys/devices/usb/i2c-2" + reason, "0 /sys/devices/usb/i2c-3" + reason}));
}

TEST(UnitIds, InheritedIdIsUsedIfNoOtherDeviceHasIt) {
  Inventory inventory(plan_of(kBuses));
  inventory.apply(shared(bus("i2c-2", {"", "/i2c@ff020000"})));
  EXPECT_EQ(units(inventory.resolve(kStart)), Strings{"i2c_ff020000"});
  EXPECT_EQ(refusals(inventory.last()), Strings{});
}

TEST(UnitIds, ByMayContainResourceName) {
  Inventory inventory(
      plan_of("  - {name: a.io/x, match: {subsystem: tty}, by: $(resource), size: 2}\n"));
  inventory.apply(shared(serial("ttyUSB0", "")));
  inventory.apply(shared(serial("ttyUSB1", "")));
  EXPECT_EQ(units(inventory.resolve(kStart)), Strings{"a.io_x"});
}

TEST(UnitIds, IdInheritedThroughKeyAllBelongsToNearestDevice) {
  Inventory inventory(
      plan_of("  - name: a.io/i2c\n"
              "    match: {subsystem: i2c-dev, all: [{ancestor: {subsystem: i2c, property: "
              "{OF_FULLNAME: {regex: '/(?P<place>.*)'}}}}]}\n"
              "    id: $(capture.place)\n"));
  inventory.apply(shared(bus("i2c-2", {"", "/i2c@ff020000"})));
  inventory.apply(shared(bus("i2c-0", {"/i2c@ff020000"})));
  EXPECT_EQ(devices_of(inventory.resolve(kStart), "i2c_ff020000"), Strings{"i2c-0"});
}

TEST(UnitIds, EquallyNearDevicesWithInheritedIdAreRefused) {
  Inventory inventory(plan_of(kBuses));
  for (const std::string name : {"i2c-2", "i2c-3"}) {
    inventory.apply(shared(bus(name, {"", "/i2c@ff020000"})));
  }
  EXPECT_EQ(units(inventory.resolve(kStart)), Strings{});
  // Two buses that inherit the value from the device directly above are refused, too.
  for (const std::string name : {"i2c-0", "i2c-1"}) {
    inventory.apply(shared(bus(name, {"/i2c@ff020000"})));
  }
  EXPECT_EQ(units(inventory.resolve(kStart)), Strings{});
  EXPECT_EQ(all_refusals(inventory.last()).size(), 4U);
}

TEST(UnitIds, HaveAtMost63Characters) {
  const std::string exact(63, 'x');
  const std::string base(64, 'y');
  Inventory inventory(plan_of("  - {name: a.io/x, match: {subsystem: tty}, id: $(name)}\n"));
  for (const std::string& name : {exact, base + "1", base + "2"}) {
    inventory.apply(shared(usb_child("tty", name, "1")));
  }
  const Strings ids = units(inventory.resolve(kStart));
  ASSERT_EQ(ids.size(), 3U);
  EXPECT_EQ(std::ranges::count(ids, exact), 1);
  for (const std::string& id : ids) EXPECT_EQ(id.size(), 63U);
  // A shortened id must be the same in every release. Otherwise a Pod would lose its device after
  // an update.
  EXPECT_EQ(std::ranges::count(ids, base.substr(0, 52) + "-" + stable_hash_hex(base + "1", 10)), 1);
}

TEST(UnitIds, ResourcesWithSharedClaimsMayUseSameId) {
  Inventory inventory(plan_of(
      "  - {name: a.io/card, match: {subsystem: tty}}\n"
      "  - {name: a.io/monitor, claim: shared, match: {subsystem: tty}}\n"
      "  - {name: a.io/port, claim: shared, match: {subsystem: tty}, by: $(usb.socket)}\n"));
  inventory.apply(shared(usb_child("tty", "tty0", "1-1")));
  const Resolution& resolution = inventory.resolve(kStart);
  EXPECT_EQ(refusals(resolution), Strings{});
  for (const size_t resource : {size_t{0}, size_t{1}, size_t{2}}) {
    EXPECT_EQ(units(resolution, resource), Strings{"1-1"});
  }
}

}  // namespace
}  // namespace patchbay::inventory
