#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rules/compiled.h"

namespace patchbay::rules {
namespace {

DeviceFacts tty(const std::string& key = "/sys/devices/a/tty/ttyUSB0") {
  DeviceFacts cheap;
  cheap.key = key;
  cheap.subsystem = "tty";
  cheap.name = "ttyUSB0";
  cheap.devnode = "/dev/ttyUSB0";
  return cheap;
}

/// Whether the device waits for udev if these resources are configured.
bool awaits(const std::string& resources, const DeviceFacts& cheap = tty()) {
  const auto compiled = compile_resources(resources);
  EXPECT_NE(compiled.plan, nullptr) << compiled.printed;
  return compiled.plan && host_query(compiled.plan)->wanted(cheap).awaits_udev();
}

/// The YAML of a resource with these further keys and conditions.
std::string resource(const std::string& keys, const std::string& match = "") {
  return fmt::format("  - {{name: a.io/a, match: {{subsystem: tty{}}}{}}}\n", match, keys);
}

class KernelNameRules : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(KernelNameRules, DoNotAwaitUdev) {
  const auto& [match, keys] = GetParam();
  EXPECT_FALSE(awaits(resource(keys, match)));
}

INSTANTIATE_TEST_SUITE_P(
    Rules, KernelNameRules,
    testing::Values(
        std::pair("", ""), std::pair(", name: 'ttyUSB*', devtype: x, devnode: '/dev/*'", ""),
        std::pair(", driver: ftdi_sio, numaNode: '0', iommuGroup: {exists: true}", ""),
        std::pair(", usb: {vendor: '0403', serial: 'L*'}", ", id: $(usb.serial)"),
        std::pair(", pci: {vendor: '15b3', physfn: '*'}", ", id: $(pci.vf)"),
        std::pair(", attribute: {device/network: '1', planet: '1'}", ""),
        std::pair(", file: {'/proc/x/$(name)': 'y'}", ""),
        std::pair(", ancestor: {subsystem: usb, attribute: {idVendor: '0403'}}", ""),
        std::pair("", ", devices: [$(devnode), /dev/$(name)]"),
        std::pair("", ", devices: [{hostPath: $(devnode), containerPath: /dev/serial/by-id/x}]"),
        std::pair("", ", devices: ['/dev/vfio/$(iommuGroup)', /dev/bus/usb/001]"),
        std::pair("", ", mounts: [{hostPath: '/sys/class/tty/$(name)'}, {hostPath: /dev}]"),
        std::pair("", ", envs: {A: /dev/disk/by-id/x}, annotations: {a: /dev/x}"),
        std::pair("", ", cdi: ['a.io/b=$(name)'], deviceInfo: pci"),
        std::pair("", ", health: [{open: {path: $(devnode)}}, {attribute: {x: '1'}}]"),
        std::pair("",
                  ", health: [{exec: [/bin/sh, -c, 'x \"$$1\" >/dev/null', sh, $(devnode)]}]")));

class UdevNameRules : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(UdevNameRules, AwaitUdev) {
  const auto& [match, keys] = GetParam();
  EXPECT_TRUE(awaits(resource(keys, match)));
}

INSTANTIATE_TEST_SUITE_P(
    Rules, UdevNameRules,
    testing::Values(std::pair(", property: {ID_BUS: usb}", ""), std::pair(", tag: seat", ""),
                    std::pair(", link: '/dev/serial/by-id/*'", ""),
                    std::pair(", pci: {pfName: 'ens*'}", ""),
                    std::pair(", attribute: {device/net/*/address: '*'}", ""),
                    std::pair(", attribute: {device/infiniband/x/node_guid: '*'}", ""),
                    std::pair(", file: {'/dev/x/$(name)': 'y'}", ""),
                    std::pair(", any: [{name: x}, {file: {/run/udev/data/x: 'y'}}]", ""),
                    std::pair(", except: {property: {ID_BUS: usb}}", ""),
                    std::pair(", ancestor: {subsystem: usb, property: {A: b}}", ""),
                    std::pair("", ", id: $(property.ID_SERIAL)"),
                    std::pair("", ", id: '$(property.ID_SERIAL:-$(name))'"),
                    std::pair("", ", id: $(ancestor.usb.property.ID_SERIAL)"),
                    std::pair("", ", devices: ['$(devnode:-/dev/x)']"),
                    std::pair("", ", by: $(link.by-id)"),
                    std::pair("", ", devices: [{hostPath: $(devnode), links: true}]"),
                    std::pair("", ", devices: ['/dev/$(name)-link']"),
                    std::pair("", ", devices: ['/dev/serial/by-path/$(usb.socket)']"),
                    std::pair("", ", devices: [$(devnode), /dev/left]"),
                    std::pair("", ", mounts: [{hostPath: /dev/serial}]"),
                    std::pair("", ", mounts: [{hostPath: /run/udev}]"),
                    std::pair("", ", envs: {A: $(property.X)}"),
                    std::pair("", ", annotations: {a: $(link.by-id)}"),
                    std::pair("", ", cdi: ['a.io/b=$(property.X)']"),
                    std::pair("", ", share: {count: $(property.X)}"),
                    std::pair("", ", health: [{property: {X: '1'}}]"),
                    std::pair("", ", health: [{open: {path: '/dev/by/$(name)'}}]"),
                    std::pair("", ", health: [{file: {/dev/x: '1'}}]"),
                    std::pair("", ", health: [{exec: [/bin/x, --of=/dev/x]}]"),
                    std::pair("", ", preStart: [{exec: [/bin/x, $(link.by-id)]}]")));

TEST(UdevNames, NetAndInfinibandDevicesAwaitUdev) {
  const std::string any = "  - {name: a.io/a, match: {subsystem: '*'}, id: $(name)}\n";
  EXPECT_FALSE(awaits(any));
  for (const char* key :
       {"/sys/devices/pci/net/eth0", "/sys/devices/virtual/net/t0/macvtap/tap7",
        "/sys/devices/pci/infiniband/mlx5_0", "/sys/devices/pci/infiniband_verbs/uverbs0"}) {
    EXPECT_TRUE(awaits(any, tty(key))) << key;
  }
  EXPECT_FALSE(awaits(any, tty("/sys/devices/network/tty/ttyUSB0")));
}

TEST(UdevNames, OnlyRulesThatMayMatchAwaitUdev) {
  const std::string property = "property: {ID_BUS: usb}";
  EXPECT_FALSE(awaits(resource("") + "  - {name: a.io/b, match: {subsystem: block, " + property +
                      "}, id: $(name)}\n"));
  EXPECT_FALSE(awaits(resource("") +
                      "  - {name: a.io/b, match: {subsystem: tty, name: 'ttyACM*', " + property +
                      "}, id: $(name)}\n"));
  EXPECT_TRUE(awaits(resource("") + "  - {name: a.io/b, match: {subsystem: tty, " + property +
                     "}, id: $(name)}\n"));
  EXPECT_FALSE(awaits("  - {name: a.io/b, match: {subsystem: block, " + property + "}}\n"))
      << "none looks at it";
}

TEST(UdevNames, SysfsPatternMayFindAnyDevice) {
  const std::string sysfs = "  - {name: a.io/b, id: $(name), match: {sysfs: /sys/class/tty/*";
  EXPECT_FALSE(awaits(resource("") + sysfs + "}}\n"));
  EXPECT_TRUE(awaits(resource("") + sysfs + ", property: {ID_BUS: usb}}}\n"));
}

TEST(UdevNames, PathOfGroupMakesMemberAwaitUdev) {
  const std::string group =
      "  - {name: a.io/a, match: {subsystem: block}, by: $(usb.socket), "
      "members: {m: {match: {subsystem: tty}}}, devices: [";
  EXPECT_FALSE(awaits(group + "$(devnode), $(m.devnode)]}\n"));
  EXPECT_TRUE(awaits(group + "$(devnode), '/dev/x-$(m.name)']}\n"));
}

}  // namespace
}  // namespace patchbay::rules
