#include "model/fact.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace patchbay {
namespace {

constexpr RuleKinds kPaths(RuleKind::glob);
constexpr RuleKinds kNode(RuleKind::node);
constexpr RuleKinds kAllAndNode(RuleKind::subsystem, RuleKind::sysfs, RuleKind::glob,
                                RuleKind::static_name, RuleKind::node);

constexpr std::array kUsb{
    FactField{"vendor", "The vendor id, four hex digits.", R"("0403")", true},
    FactField{"product", "The product id, four hex digits.", R"(["6001", "6015"])", true},
    FactField{"serial", "The serial number, which not every device has.", "LAB*"},
    FactField{"socket", "The connector: the port on its USB 2 bus, also for devices on USB 3.",
              R"("0000:00:14.0-usbv2-2.4")"},
    FactField{"interface",
              "The interface number, two hex digits, if the device is or is below an interface.",
              R"("01")"},
    FactField{"devnode"},  // Under /dev/bus/usb.
};

constexpr std::array kPci{
    FactField{"vendor", "The vendor id, four hex digits.", R"("15b3")", true},
    FactField{"device", "The device id, four hex digits.", R"("101e")", true},
    FactField{"subsystemVendor", "The vendor id of the board, four hex digits.", R"("15b3")", true},
    FactField{"subsystemDevice", "The device id of the board, four hex digits.", R"("0083")", true},
    FactField{"class", "The class: the first two, four or all six of its hex digits.", R"("0200")",
              true},
    FactField{"driver", "The driver of the function.", "vfio-pci"},
    FactField{"address", "The address of the function.", R"("0000:3b:00.0")"},
    FactField{"rootPort", "The address of the root port above.", R"("0000:00:01.0")"},
    FactField{"physfn", "For a virtual function: the address of its physical function.",
              R"("0000:3b:00.0")"},
    FactField{"pfName", "For a virtual function: the network interface of its physical function.",
              "ens1f0"},
    FactField{"vf", "For a virtual function: its number.", "{ge: 2, lt: 8}"},
};

/// A fact of devices: a key of `match`, and a variable.
constexpr FactInfo device_fact(Fact fact, std::string_view word, Cost cost, std::string_view about,
                               std::string_view example) {
  return {.fact = fact,
          .word = word,
          .cost = cost,
          .compared_in = kDeviceRules,
          .variable_in = kDeviceRules,
          .about = about,
          .example = example};
}

/// Adds the names of the fact; `example` is one of them.
constexpr FactInfo with_fields(FactInfo fact, std::string_view example,
                               std::span<const FactField> fields = {}) {
  fact.has_argument = true;
  fact.fields = fields;
  fact.example_name = example;
  return fact;
}

constexpr FactInfo with_rule_kinds(FactInfo fact, RuleKinds compared, RuleKinds variable) {
  fact.compared_in = compared;
  fact.variable_in = variable;
  return fact;
}

constexpr FactInfo whole_path(FactInfo fact) {
  fact.begins_path = true;
  return fact;
}

constexpr FactInfo variable_by_name(FactInfo fact, std::string_view example) {
  fact.variable_by_name = true;
  fact.example_name = example;
  return fact;
}

constexpr std::array kFacts{
    with_rule_kinds(
        device_fact(Fact::name, "name", Cost::none,
                    "The kernel's name of a device, or the last component of a path.", "ttyUSB*"),
        kUnitRules, kUnitRules),
    device_fact(Fact::subsystem, "subsystem", Cost::none,
                "The subsystem of a kernel device. In a match, it makes a udev rule.", "tty"),
    device_fact(Fact::devtype, "devtype", Cost::none,
                "The device's DEVTYPE, such as disk or usb_interface.", "disk"),
    whole_path(device_fact(Fact::devnode, "devnode", Cost::none, "The path of the device node.",
                           "/dev/ttyUSB0")),
    device_fact(Fact::driver, "driver", Cost::sysfs,
                "The device's driver; for a device of a class, the driver of the nearest ancestor "
                "that has one.",
                "[ftdi_sio, cp210x]"),
    device_fact(Fact::numa_node, "numaNode", Cost::sysfs,
                "The NUMA node of the device, or of the nearest ancestor that has one.", R"("0")"),
    device_fact(Fact::iommu_group, "iommuGroup", Cost::sysfs,
                "The IOMMU group of the device, or of the nearest ancestor that has one.",
                "{exists: true}"),
    with_fields(
        device_fact(Fact::usb, "usb", Cost::sysfs, "The USB device that the device is or is below.",
                    R"({vendor: "0403", product: "6001"})"),
        "serial", kUsb),
    with_fields(device_fact(Fact::pci, "pci", Cost::sysfs,
                            "The PCI function that the device is or is below.",
                            R"({vendor: "15b3", class: "02"})"),
                "address", kPci),
    // Used only by default ids.
    FactInfo{.fact = Fact::identity, .word = "identity", .cost = Cost::sysfs, .has_argument = true},
    with_fields(
        device_fact(Fact::attribute, "attribute", Cost::sysfs,
                    "Files in /sys below the device, by path.", R"({device/vendor: "0x1002"})"),
        "device/vendor"),
    with_fields(device_fact(Fact::property, "property", Cost::database,
                            "Properties in the udev database, by name.", "{ID_BUS: usb}"),
                "ID_SERIAL"),
    whole_path(with_rule_kinds(device_fact(Fact::syspath, "syspath", Cost::none, "", ""), {},
                               kDeviceRules)),
    whole_path(
        with_rule_kinds(device_fact(Fact::path, "path", Cost::none, "The path that a glob found.",
                                    R"({regex: '/run/vm/(?P<vm>[^/]+)/.*'})"),
                        kPaths, RuleKinds(RuleKind::sysfs, RuleKind::glob))),
    with_rule_kinds(
        device_fact(Fact::tag, "tag", Cost::database, "One of the device's udev tags.", "seat"),
        kDeviceRules, {}),
    whole_path(variable_by_name(
        device_fact(Fact::link, "link", Cost::database, "One of the device's links under /dev.",
                    "/dev/serial/by-id/*"),
        "by-id")),
    with_rule_kinds(
        device_fact(Fact::type, "type", Cost::none,
                    "The type of the path that a glob found: char, block, file, dir or socket.",
                    "[char, block]"),
        kPaths, {}),
    with_rule_kinds(device_fact(Fact::node, "node", Cost::none, "The node's name.", R"("bench-*")"),
                    kNode, {}),
    with_fields(with_rule_kinds(
                    device_fact(Fact::glob, "glob", Cost::none,
                                "Patterns of host paths: each must match a path.", "/dev/nvidia*"),
                    kNode, {}),
                ""),
    with_fields(
        with_rule_kinds(
            device_fact(Fact::file, "file", Cost::file,
                        "Conditions on files of the host, by path; the path may contain $(…).",
                        R"({/proc/driver/nvidia/gpus/$(pci.address)/information: "*GPU UUID:*"})"),
            kAllAndNode, {}),
        ""),
    with_fields(with_rule_kinds(device_fact(Fact::env, "env", Cost::none,
                                            "Environment variables of the daemon, by name.",
                                            R"({POOL: "gpu*"})"),
                                kNode, {}),
                ""),
};

constexpr bool is_sorted_by_fact() {
  for (size_t i = 0; i < kFacts.size(); ++i) {
    if (static_cast<size_t>(kFacts[i].fact) != i) return false;
  }
  return kFacts.size() == static_cast<size_t>(Fact::env) + 1;
}
static_assert(is_sorted_by_fact(), "a fact has no row, or the rows have another order");

/// In the order of PathType. `type:` cannot name the last one.
constexpr std::array<std::string_view, 6> kPathTypes{"char", "block",  "file",
                                                     "dir",  "socket", "other"};

}  // namespace

std::string_view rule_word(RuleKind kind) {
  constexpr std::array<std::string_view, 5> kWords{"subsystem", "sysfs", "glob", "static", "when"};
  return kWords[static_cast<size_t>(kind)];
}

std::span<const FactInfo> all_facts() { return kFacts; }

const FactInfo& info(Fact fact) { return kFacts[static_cast<size_t>(fact)]; }

const FactInfo* find_fact(std::string_view word) {
  const auto* const found = std::ranges::find(kFacts, word, &FactInfo::word);
  return found == kFacts.end() ? nullptr : found;
}

const FactField* find_field(const FactInfo& fact, std::string_view name) {
  const auto found = std::ranges::find(fact.fields, name, &FactField::name);
  return found == fact.fields.end() ? nullptr : &*found;
}

std::string_view path_type_word(PathType type) { return kPathTypes[static_cast<size_t>(type)]; }

std::span<const std::string_view> path_type_words() {
  return std::span(kPathTypes).first(kPathTypes.size() - 1);
}

}  // namespace patchbay
