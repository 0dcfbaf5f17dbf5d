#include "config/match_reader.h"

#include <array>

#include <fmt/format.h>

namespace patchbay::config {
namespace {

constexpr std::array kConditionKeys = {
    key<&ConditionSpec::is>("is", "The value equals this text, whatever characters are in it.",
                            Need::optional, Empty::allowed),
    key<&ConditionSpec::regex>("regex", "The whole value matches this RE2 expression."),
    key<&ConditionSpec::gt>("gt", "The value is a number greater than this one."),
    key<&ConditionSpec::ge>("ge", "The value is a number, this one or greater."),
    key<&ConditionSpec::lt>("lt", "The value is a number less than this one."),
    key<&ConditionSpec::le>("le", "The value is a number, this one or less."),
    key<&ConditionSpec::exists>("exists", "The value is present (true) or absent (false)."),
    key<&ConditionSpec::negated>("not", "The value is present and does not meet this condition.")};

constexpr KeyInfo part(std::string_view name, std::string_view about) {
  return {.name = name, .about = about, .type = ValueType::condition};
}

constexpr std::array kUsbKeys = {
    part("vendor", "The vendor's id: four hex digits."),
    part("product", "The product's id: four hex digits."),
    part("serial", "The serial number, which not every device has."),
    part("port", "The port: 0000:00:14.0-usbv2-2.4 is controller, USB revision, ports."),
    part("interface", "The number of the interface, two hex digits, where one is above.")};

constexpr std::array kPciKeys = {
    part("vendor", "The vendor's id: four hex digits."),
    part("device", "The device's id: four hex digits."),
    part("subsystemVendor", "The id of the board's vendor: four hex digits."),
    part("subsystemDevice", "The board's id: four hex digits."),
    part("class", "The class: the first two, four or all six of its hex digits."),
    part("driver", "The driver of the function itself."),
    part("address", "The address: 0000:3b:00.0."),
    part("rootPort", "The address of the root port above."),
    part("physfn", "Of a virtual function: the address of its physical one."),
    part("pfName", "Of a virtual function: the network interface of its physical one."),
    part("vf", "Of a virtual function: its number.")};

constexpr std::array kSubsystemKey = {key<&MatchSpec::subsystem>(
    "subsystem", "The subsystem of a kernel device. In a match: a udev rule.")};

constexpr std::array kPatternKeys = {
    key<&MatchSpec::sysfs>("sysfs", "A sysfs rule: patterns of directories under /sys."),
    key<&MatchSpec::glob>("glob", "A glob rule: patterns of paths of the host.")};

constexpr std::array kTypeKey = {
    key<&MatchSpec::type>("type", "What a glob found: char, block, file, dir or socket.")};

constexpr std::array kDeviceKeys = {
    key<&MatchSpec::name>("name", "The kernel's name of a device; of a path, its last part."),
    key<&MatchSpec::devtype>("devtype", "The device's DEVTYPE, such as disk or usb_interface."),
    key<&MatchSpec::devnode>("devnode", "The path of the device node."),
    key<&MatchSpec::driver>("driver", "The driver of the device, or of the nearest above it."),
    key<&MatchSpec::numa_node>("numaNode", "The NUMA node, of the nearest above that has one."),
    key<&MatchSpec::iommu_group>("iommuGroup", "The IOMMU group, of the nearest above in one."),
    key<&MatchSpec::usb>("usb", "The USB device that the device is or is below."),
    key<&MatchSpec::pci>("pci", "The PCI function that the device is or is below."),
    key<&MatchSpec::attribute>("attribute", "Files in /sys below the device, by their path."),
    key<&MatchSpec::property>("property", "Properties in udev's database, by their name."),
    key<&MatchSpec::tag>("tag", "One of the device's udev tags."),
    key<&MatchSpec::link>("link", "One of the device's links under /dev.")};

constexpr std::array kBlockKeys = {
    key<&MatchSpec::any>("any", "One of these blocks holds; the first that does captures."),
    key<&MatchSpec::except>("except", "None of these blocks holds."),
    key<&MatchSpec::ancestor>("ancestor", "Each of these blocks holds on one device above.")};

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
    return report_type(node, "a mapping (name: condition)", info.name, diagnostics);
  }
  if (node.entries.empty()) {
    diagnostics.error(node.at, fmt::format("empty mapping for '{}'", info.name));
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
  const bool list_only = info.name == "any";
  Values values =
      list_only ? filled_list(node, info, diagnostics) : one_or_list(node, info, diagnostics);
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
  if (!is_above) map.read(kTypeKey, out);
  map.read(kDeviceKeys, out);
  if (!is_above) map.read(kBlockKeys, out);
  const auto known = key_names(info.name);
  for (const YamlEntry& entry : node.entries) {
    if (std::ranges::find(known, entry.key.value) != known.end()) out.keys.push_back(entry.key);
  }
  out.broken = !map.finish();
  return !out.broken;
}

std::vector<BlockInfo> match_blocks() {
  return {{"match", key_infos(kSubsystemKey, kPatternKeys, kTypeKey, kDeviceKeys, kBlockKeys)},
          {"any", key_infos(kTypeKey, kDeviceKeys, kBlockKeys)},
          {"except", key_infos(kTypeKey, kDeviceKeys, kBlockKeys)},
          {"ancestor", key_infos(kSubsystemKey, kDeviceKeys)},
          {"usb", {kUsbKeys.begin(), kUsbKeys.end()}},
          {"pci", {kPciKeys.begin(), kPciKeys.end()}},
          {"condition", key_infos(kConditionKeys)}};
}

}  // namespace patchbay::config
