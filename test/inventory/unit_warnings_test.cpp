#include "inventory/unit_warnings.h"

#include <gmock/gmock.h>

#include "inventory/inventory_fixture.h"

namespace patchbay::inventory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

DeviceFacts device(const std::string& subsystem, const std::string& name, bool node,
                   const std::string& devtype = "") {
  DeviceFacts facts;
  facts.key = "/sys/devices/" + subsystem + "/" + name;
  facts.name = name;
  facts.subsystem = subsystem;
  facts.devtype = devtype;
  if (node) facts.devnode = "/dev/" + name;
  return facts;
}

/// The warnings of all resources with these devices.
Strings warnings(const std::string& resources, const std::vector<DeviceFacts>& devices) {
  Inventory inventory(dra_plan_of(resources));
  for (const DeviceFacts& facts : devices) inventory.apply(shared(facts));
  Strings out;
  for (const ResolvedResource& resource : inventory.resolve(kStart).resources) {
    for (const UnitWarning& warning : warnings_of(resource)) out.push_back(warning.reason);
  }
  return out;
}

std::string rule(const std::string& rest) {
  return "  - {name: a.io/x, id: $(name), " + rest + "}\n";
}

TEST(EmptyAllocationWarnings, CoverUsbInterfaces) {
  EXPECT_THAT(
      warnings(rule("match: {subsystem: usb}"), {device("usb", "1-4", true, "usb_device"),
                                                 device("usb", "1-4:1.0", false, "usb_interface"),
                                                 device("usb", "1-4:1.2", false, "usb_interface")}),
      ElementsAre("2 units give a container nothing (a USB interface has no device node): "
                  "add devtype: usb_device to the match"));
}

TEST(EmptyAllocationWarnings, NameSingleUnit) {
  EXPECT_THAT(warnings(rule("match: {subsystem: drm}"),
                       {device("drm", "card0", true), device("drm", "card0-DP-1", false)}),
              ElementsAre(StartsWith("unit 'card0-DP-1' gives a container nothing (the device has "
                                     "no device node): add devnode: \"*\" to the match")));
}

TEST(EmptyAllocationWarnings, CoverNetworkInterfaces) {
  EXPECT_THAT(warnings(rule("match: {subsystem: net}"), {device("net", "can0", false)}),
              ElementsAre(HasSubstr("stays on the host): a CNI plugin moves interfaces")));
}

TEST(EmptyAllocationWarnings, CoverDirectories) {
  EXPECT_THAT(warnings(rule("match: {glob: /dev/input}"),
                       {found("/dev/input", "/dev/input", PathType::directory)}),
              ElementsAre(HasSubstr("(a directory is not a device node): match the device nodes")));
  EXPECT_THAT(warnings(rule("match: {glob: /srv/a}"), {found("/srv/a", "/srv/a")}),
              ElementsAre(HasSubstr("mount it: mounts: [{hostPath: $(path)}]")));
}

TEST(EmptyAllocationWarnings, AreSuppressedByAnyEntry) {
  const std::vector<DeviceFacts> can{device("net", "can0", false)};
  for (const std::string more :
       {"envs: {CAN: $(name)}", "annotations: {a.io/can: $(name)}",
        "mounts: [{hostPath: /srv/can}]", "devices: [/dev/can]",
        "devices: [{hostPath: /dev/can, optional: true}]", "cdi: [\"a.io/can=$(name)\"]",
        "devices: []", "preStart: [{exec: [/hooks/up, $(name)]}]",
        "serve: dra, release: [{exec: [/hooks/down, $(name)]}]"}) {
    EXPECT_THAT(warnings(rule("match: {subsystem: net}, " + more), can), IsEmpty()) << more;
  }
  DeviceFacts function = device("net", "eth0", false);
  fake::set(function, Fact::pci, "address", {"0000:3b:00.0"});
  EXPECT_THAT(warnings(rule("match: {subsystem: net}, deviceInfo: pci"), {function}), IsEmpty());
  EXPECT_THAT(warnings("  - {name: a.io/x, match: {static: [scope]}}\n", {named("scope")}),
              IsEmpty());
}

TEST(EmptyAllocationWarnings, AreSuppressedByNodeOfMember) {
  DeviceFacts usb = usb_child("usb", "1-4:1.0", "1-4");
  usb.devnode = "";
  const std::string group =
      "  - name: a.io/x\n    match: {subsystem: usb}\n    by: $(usb.socket)\n"
      "    members: {tty: {match: {subsystem: tty}, size: 0+}}\n";
  EXPECT_THAT(warnings(group, {usb, usb_child("tty", "ttyUSB0", "1-4")}), IsEmpty());
  EXPECT_EQ(warnings(group, {usb}).size(), 1U);
}

DeviceFacts function(const std::string& address, const std::string& group) {
  DeviceFacts facts = device("pci", address, false);
  fake::set(facts, Fact::pci, "address", {address});
  fake::set(facts, Fact::iommu_group, {group});
  return facts;
}

const std::string kVfio =
    "match: {subsystem: pci}, devices: [/dev/vfio/vfio, /dev/vfio/$(iommuGroup)]";

TEST(SharedNodeWarnings, CoverExclusiveUnitsWithSameNode) {
  EXPECT_THAT(warnings(rule(kVfio), {function("0000:01:00.0", "56"), function("0000:01:00.1", "56"),
                                     function("0000:02:00.0", "57")}),
              ElementsAre("/dev/vfio/56 is given by 2 units, so several containers can have it: "
                          "make one unit of them by: $(iommuGroup)"));
}

TEST(SharedNodeWarnings, CoverTwoResources) {
  const std::string other = "  - {name: a.io/y, id: $(name), " + kVfio + "}\n";
  const std::string first =
      "  - {name: a.io/x, id: $(name), match: {subsystem: pci, name: \"*.0\"},"
      " devices: [/dev/vfio/$(iommuGroup)]}\n";
  EXPECT_THAT(
      warnings(first + other, {function("0000:01:00.0", "56"), function("0000:01:00.1", "56")}),
      ElementsAre(HasSubstr("/dev/vfio/56 is given by unit '0000:01:00.0' and by a.io/y"),
                  HasSubstr("/dev/vfio/56 is given by unit '0000:01:00.1' and by a.io/x")));
}

TEST(SharedNodeWarnings, AreAbsentForDeliberateSharing) {
  const std::vector<DeviceFacts> both{function("0000:01:00.0", "56"),
                                      function("0000:01:00.1", "56")};
  EXPECT_THAT(warnings(rule(kVfio + ", by: $(iommuGroup)"), both), IsEmpty());
  EXPECT_THAT(warnings(rule(kVfio + ", claim: shared"), both), IsEmpty());
  EXPECT_THAT(warnings(rule(kVfio + ", share: {count: 4}"), both), IsEmpty());
}

TEST(SharedNodeWarnings, DisappearWhenNodesDiffer) {
  Inventory inventory(plan_of(rule(kVfio)));
  inventory.apply(shared(function("0000:01:00.0", "56")));
  inventory.apply(shared(function("0000:01:00.1", "56")));
  EXPECT_EQ(inventory.resolve(kStart).resources[0].shared_nodes.size(), 1U);
  inventory.apply(shared(function("0000:01:00.1", "57")));
  EXPECT_THAT(inventory.resolve(kStart).resources[0].shared_nodes, IsEmpty());
}

}  // namespace
}  // namespace patchbay::inventory
