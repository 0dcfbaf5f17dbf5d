#include "config/match_reader.h"

#include <array>

#include <fmt/format.h>

namespace patchbay::config {
namespace {

constexpr std::array kConditionKeys = {
    key<&ConditionSpec::is>("is", "The value equals this text, whatever characters are in it.",
                            Need::optional, Empty::allowed),
    key<&ConditionSpec::regex>("regex", "The whole value matches this RE2 expression."),
    key<&ConditionSpec::exists>("exists", "The value is present (true) or absent (false)."),
    key<&ConditionSpec::negated>("not", "The value is present and does not meet this condition.")};

constexpr std::array kMatchKeys = {
    key<&MatchSpec::subsystem>("subsystem", "A udev rule: the subsystem of a kernel device."),
    key<&MatchSpec::sysfs>("sysfs", "A sysfs rule: patterns of directories under /sys."),
    key<&MatchSpec::glob>("glob", "A glob rule: patterns of paths of the host."),
    key<&MatchSpec::name>("name", "The kernel's name of a device; of a path, its last part."),
    key<&MatchSpec::type>("type", "What a glob found: char, block, file, dir or socket."),
    key<&MatchSpec::devtype>("devtype", "The device's DEVTYPE, such as disk or usb_interface."),
    key<&MatchSpec::devnode>("devnode", "The path of the device node."),
    key<&MatchSpec::driver>("driver", "The driver of the device, or of the nearest above it."),
    key<&MatchSpec::attribute>("attribute", "Files in /sys below the device, by their path."),
    key<&MatchSpec::property>("property", "Properties in udev's database, by their name."),
    key<&MatchSpec::tag>("tag", "One of the device's udev tags."),
    key<&MatchSpec::link>("link", "One of the device's links under /dev.")};

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

bool read_value(const YamlNode& node, const KeyInfo& info, MatchSpec& out,
                Diagnostics& diagnostics) {
  out.at = node.at;
  MapReader map(node, info.name, diagnostics);
  map.read(kMatchKeys, out);
  for (const YamlEntry& entry : node.entries) {
    const auto name_of = [](const auto& k) { return k.info.name; };
    if (std::ranges::find(kMatchKeys, entry.key.value, name_of) != kMatchKeys.end()) {
      out.keys.push_back(entry.key);
    }
  }
  out.broken = !map.finish();
  return !out.broken;
}

std::vector<BlockInfo> match_blocks() {
  return {{"match", key_infos(kMatchKeys)}, {"condition", key_infos(kConditionKeys)}};
}

}  // namespace patchbay::config
