#include "config/match_reader.h"

#include <array>

#include <fmt/format.h>

namespace patchbay::config {
namespace {

constexpr std::array kConditionKeys = {
    key<&ConditionSpec::is>("is", "The value equals this text, whatever characters are in it.",
                            {.example = R"("100*")", .empty = Empty::allowed}),
    key<&ConditionSpec::regex>("regex", "The whole value matches this RE2 expression.",
                               {.example = R"('ttyS(?P<port>\d+)')"}),
    key<&ConditionSpec::gt>("gt", "The value is a number greater than this one.", {.example = "0"}),
    key<&ConditionSpec::ge>("ge", "The value is a number, this one or greater.",
                            {.example = "8Gi"}),
    key<&ConditionSpec::lt>("lt", "The value is a number less than this one.",
                            {.example = "95000"}),
    key<&ConditionSpec::le>("le", "The value is a number, this one or less.", {.example = "0x10"}),
    key<&ConditionSpec::exists>("exists", "The value is present (true) or absent (false).",
                                {.example = "false"}),
    key<&ConditionSpec::negated>("not", "The value is present and does not meet this condition.",
                                 {.example = R"([lo, "veth*"])"})};

constexpr KeyInfo part(std::string_view name, std::string_view about, std::string_view example) {
  return {.name = name, .about = about, .example = example, .type = ValueType::condition};
}

constexpr std::array kUsbKeys = {
    part("vendor", "The vendor's id: four hex digits.", R"("0403")"),
    part("product", "The product's id: four hex digits.", R"(["6001", "6015"])"),
    part("serial", "The serial number, which not every device has.", "LAB*"),
    part("port", "The port: controller, USB revision, ports.", R"("0000:00:14.0-usbv2-2.4")"),
    part("interface", "The number of the interface, two hex digits, where one is above.",
         R"("01")")};

constexpr std::array kPciKeys = {
    part("vendor", "The vendor's id: four hex digits.", R"("15b3")"),
    part("device", "The device's id: four hex digits.", R"("101e")"),
    part("subsystemVendor", "The id of the board's vendor: four hex digits.", R"("15b3")"),
    part("subsystemDevice", "The board's id: four hex digits.", R"("0083")"),
    part("class", "The class: the first two, four or all six of its hex digits.", R"("0200")"),
    part("driver", "The driver of the function itself.", "vfio-pci"),
    part("address", "The address of the function.", R"("0000:3b:00.0")"),
    part("rootPort", "The address of the root port above.", R"("0000:00:01.0")"),
    part("physfn", "Of a virtual function: the address of its physical one.", R"("0000:3b:00.0")"),
    part("pfName", "Of a virtual function: the network interface of its physical one.", "ens1f0"),
    part("vf", "Of a virtual function: its number.", "{ge: 2, lt: 8}")};

constexpr std::array kSubsystemKey = {key<&MatchSpec::subsystem>(
    "subsystem", "The subsystem of a kernel device. In a match: a udev rule.", {.example = "tty"})};

constexpr std::array kPatternKeys = {
    key<&MatchSpec::sysfs>("sysfs", "A sysfs rule: patterns of directories under /sys.",
                           {.example = "/sys/class/net/eth*"}),
    key<&MatchSpec::glob>("glob", "A glob rule: patterns of paths of the host.",
                          {.example = "[/dev/fuse, /dev/net/tun]"}),
    key<&MatchSpec::static_names>("static", "Nothing on the host: the names of things.",
                                  {.example = "[scope1, scope2]"})};

constexpr std::array kPathKey = {key<&MatchSpec::path>(
    "path", "The path that a glob found.", {.example = R"({regex: '/run/vm/(?P<vm>[^/]+)/.*'})"})};

constexpr std::array kTypeKey = {key<&MatchSpec::type>(
    "type", "What a glob found: char, block, file, dir or socket.", {.example = "[char, block]"})};

constexpr std::array kDeviceKeys = {
    key<&MatchSpec::name>("name", "The kernel's name of a device; of a path, its last part.",
                          {.example = "ttyUSB*"}),
    key<&MatchSpec::devtype>("devtype", "The device's DEVTYPE, such as disk or usb_interface.",
                             {.example = "disk"}),
    key<&MatchSpec::devnode>("devnode", "The path of the device node.",
                             {.example = "/dev/ttyUSB0"}),
    key<&MatchSpec::driver>("driver",
                            "The device's own driver; of a class, that of the nearest above.",
                            {.example = "[ftdi_sio, cp210x]"}),
    key<&MatchSpec::numa_node>("numaNode", "The NUMA node, of the nearest above that has one.",
                               {.example = R"("0")"}),
    key<&MatchSpec::iommu_group>("iommuGroup", "The IOMMU group, of the nearest above in one.",
                                 {.example = "{exists: true}"}),
    key<&MatchSpec::usb>("usb", "The USB device that the device is or is below.",
                         {.example = R"({vendor: "0403", product: "6001"})"}),
    key<&MatchSpec::pci>("pci", "The PCI function that the device is or is below.",
                         {.example = R"({vendor: "15b3", class: "02"})"}),
    key<&MatchSpec::attribute>("attribute", "Files in /sys below the device, by their path.",
                               {.example = R"({device/vendor: "0x1002"})"}),
    key<&MatchSpec::property>("property", "Properties in udev's database, by their name.",
                              {.example = "{ID_BUS: usb}"}),
    key<&MatchSpec::tag>("tag", "One of the device's udev tags.", {.example = "seat"}),
    key<&MatchSpec::link>("link", "One of the device's links under /dev.",
                          {.example = "/dev/serial/by-id/*"})};

/// A file is no device's: it has no place in `ancestor`.
constexpr std::array kFileKey = {key<&MatchSpec::file>(
    "file", "What files of the host hold, by their path, which may hold $(…).",
    {.example = R"({/proc/driver/nvidia/gpus/$(pci.address)/information: "*GPU UUID:*"})"})};

constexpr std::array kBlockKeys = {
    key<&MatchSpec::any>("any", "One of these blocks holds; the first that does captures.",
                         {.example = "[{driver: ftdi_sio}, {driver: cp210x}]"}),
    key<&MatchSpec::except>("except", "None of these blocks holds.",
                            {.example = "{usb: {serial: BROKEN*}}"}),
    key<&MatchSpec::ancestor>("ancestor", "Each of these blocks holds on one device above.",
                              {.example = "{subsystem: usb, devtype: usb_device}"})};

bool read_list(const YamlNode& node, const KeyInfo& info, ConditionSpec& out,
               Diagnostics& diagnostics) {
  out.form = ConditionSpec::Form::list;
  Values values = one_or_list(node, info, diagnostics);
  for (const YamlNode* value : values.nodes) {
    ConditionSpec condition;
    if (read_value(*value, info, condition, diagnostics)) {
      out.list.push_back(std::move(condition));
    } else {
      values.ok = false;
    }
  }
  return values.ok;
}

/// The keys of a table, each of which is a condition.
template <typename Keys>
bool read_parts(const YamlNode& node, const KeyInfo& info, const Keys& keys,
                std::vector<NamedConditionSpec>& out, Diagnostics& diagnostics) {
  MapReader map(node, info.name, diagnostics);
  bool ok = true;
  for (const KeyInfo& key : keys) {
    const YamlNode* value = map.take(key);
    if (value == nullptr) continue;
    NamedConditionSpec spec{.name = {std::string(key.name), map.at(key.name)}, .condition = {}};
    if (read_value(*value, key, spec.condition, diagnostics)) {
      out.push_back(std::move(spec));
    } else {
      ok = false;
    }
  }
  return map.finish() && ok;
}

}  // namespace

bool read_value(const YamlNode& node, const KeyInfo& info, ConditionSpec& out,
                Diagnostics& diagnostics) {
  out.at = node.at;
  if (node.kind == YamlNode::Kind::sequence) return read_list(node, info, out, diagnostics);
  if (node.kind == YamlNode::Kind::mapping) {
    out.form = ConditionSpec::Form::mapping;
    MapReader map(node, "condition", diagnostics);
    map.read(kConditionKeys, out);
    return map.finish();
  }
  out.form = ConditionSpec::Form::text;
  out.text = node.text;
  return true;
}

bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<ConditionSpec>& out,
                Diagnostics& diagnostics) {
  ConditionSpec condition;
  if (!read_value(node, info, condition, diagnostics)) return false;
  out.push_back(std::move(condition));
  return true;
}

bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<NamedConditionSpec>& out,
                Diagnostics& diagnostics) {
  if (node.kind != YamlNode::Kind::mapping) {
    return report_type(node, "a mapping (name: condition)", info.name, diagnostics,
                       info.name == "env" ? "not as in a Pod: {POOL: \"gpu*\"}" : "");
  }
  if (node.entries.empty()) {
    diagnostics.error(node.at, fmt::format("empty mapping for '{}'", info.name),
                      fmt::format("such as {}: {}", info.name, info.example));
    return false;
  }
  bool ok = true;
  for (const YamlEntry& entry : node.entries) {
    const KeyInfo named{.name = entry.key.value, .about = {}, .type = ValueType::condition};
    NamedConditionSpec spec{.name = entry.key, .condition = {}};
    if (!report_empty_name(entry, info, diagnostics) &&
        !report_empty(entry.value, named, diagnostics) &&
        read_value(entry.value, named, spec.condition, diagnostics)) {
      out.push_back(std::move(spec));
    } else {
      ok = false;
    }
  }
  return ok;
}

bool read_value(const YamlNode& node, const KeyInfo& info, UsbSpec& out, Diagnostics& diagnostics) {
  return read_parts(node, info, kUsbKeys, out.parts, diagnostics);
}

bool read_value(const YamlNode& node, const KeyInfo& info, PciSpec& out, Diagnostics& diagnostics) {
  return read_parts(node, info, kPciKeys, out.parts, diagnostics);
}

bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<MatchSpec>& out,
                Diagnostics& diagnostics) {
  Values values = block_items(node, info, diagnostics);
  for (const YamlNode* item : values.nodes) {
    MatchSpec block;
    values.ok = read_value(*item, info, block, diagnostics) && values.ok;
    out.push_back(std::move(block));
  }
  return values.ok;
}

bool read_value(const YamlNode& node, const KeyInfo& info, MatchSpec& out,
                Diagnostics& diagnostics) {
  out.at = node.at;
  MapReader map(node, info.name, diagnostics);
  const bool is_match = info.type == ValueType::match;
  const bool is_above = info.name == "ancestor";
  if (is_match || is_above) map.read(kSubsystemKey, out);
  if (is_match) map.read(kPatternKeys, out);
  if (!is_above) map.read(kPathKey, out);
  if (!is_above) map.read(kTypeKey, out);
  map.read(kDeviceKeys, out);
  if (!is_above) map.read(kFileKey, out);
  if (!is_above) map.read(kBlockKeys, out);
  const auto known = key_names(info.name);
  for (const YamlEntry& entry : node.entries) {
    if (std::ranges::find(known, entry.key.value) != known.end()) out.keys.push_back(entry.key);
  }
  out.broken = !map.finish();
  return !out.broken;
}

std::vector<BlockInfo> match_blocks() {
  return {{"match", key_infos(kSubsystemKey, kPatternKeys, kPathKey, kTypeKey, kDeviceKeys,
                              kFileKey, kBlockKeys)},
          {"any", key_infos(kPathKey, kTypeKey, kDeviceKeys, kFileKey, kBlockKeys)},
          {"except", key_infos(kPathKey, kTypeKey, kDeviceKeys, kFileKey, kBlockKeys)},
          {"ancestor", key_infos(kSubsystemKey, kDeviceKeys)},
          {"usb", {kUsbKeys.begin(), kUsbKeys.end()}},
          {"pci", {kPciKeys.begin(), kPciKeys.end()}},
          {"condition", key_infos(kConditionKeys)}};
}

}  // namespace patchbay::config
