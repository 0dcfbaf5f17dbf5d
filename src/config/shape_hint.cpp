#include "config/shape_hint.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::config {
namespace {

using Kind = YamlNode::Kind;

constexpr std::string_view kAnyHexDigits = "0123456789abcdefABCDEF";

/// The hint for one wrong shape; `hint` returns nullopt if the written value has another form.
struct Shape {
  std::string_view names;  ///< Keys and blocks, separated by spaces.
  Kind got;
  std::optional<std::string> (*hint)(std::string_view name, const YamlNode& node);
};

/// `carrier` instead of {carrier: …}.
std::optional<std::string> hint_of_condition(std::string_view name, const YamlNode& node) {
  const std::string shown = printable(node.text, kMaxShown);
  const std::string_view value = name == "file" ? R"("*text*")" : R"("1")";
  return fmt::format("add the expected value: {0}: {{{1}: {2}}}, or {{{1}: {{exists: true}}}}",
                     name, shown, value);
}

/// 0403:6001, as in the output of lsusb and lspci -n.
std::optional<std::string> hint_of_ids(std::string_view name, const YamlNode& node) {
  const auto fields = split(node.text, ':');
  const bool ids = fields.size() == 2 && std::ranges::all_of(fields, [](std::string_view field) {
                     return field.size() == 4 &&
                            field.find_first_not_of(kAnyHexDigits) == std::string_view::npos;
                   });
  if (!ids) return std::nullopt;
  return fmt::format(R"({}: {{vendor: "{}", {}: "{}"}})", name, fields[0],
                     name == "usb" ? "product" : "device", fields[1]);
}

std::optional<std::string> hint_of_match(std::string_view /*name*/, const YamlNode& node) {
  const std::string shown = printable(node.text, kMaxShown);
  if (node.text.starts_with("/sys/")) return fmt::format("match: {{sysfs: {}}}", shown);
  if (node.text.starts_with('/')) return fmt::format("match: {{glob: {}}}", shown);
  if (node.text.contains("==")) {
    return "udev rules use other keys; write match: {subsystem: tty, name: \"ttyUSB*\", usb: "
           "{vendor: \"0403\"}}";
  }
  return "name the devices: match: {subsystem: tty}, or {glob: /dev/line*}";
}

/// A hint that does not depend on the written value.
template <const auto& Text>
std::optional<std::string> say(std::string_view /*name*/, const YamlNode& /*node*/) {
  return std::string(Text);
}

constexpr std::string_view kOneMatch =
    "write one mapping without '-': all its keys must match; for alternatives write any: [{…}, "
    "{…}], or give the resource groups";
constexpr std::string_view kOneBlock =
    "write one mapping without '-'; for alternatives write any: [{…}, {…}] around it";
constexpr std::string_view kConditionsByName =
    "write a mapping without '-' that has a condition for each name: {NAME: value}";
constexpr std::string_view kMembersByName =
    "write a mapping without '-' that has a name for each member: {render: {match: {…}}}";
constexpr std::string_view kOneText =
    "write one text; for several texts write an item, or a name, for each of them";
constexpr std::string_view kQuoteBrackets = "a text that begins with '[' or '{' needs quotes";

constexpr std::array kShapes{
    Shape{"match", Kind::sequence, say<kOneMatch>},
    Shape{"match", Kind::scalar, hint_of_match},
    Shape{"usb pci", Kind::sequence, say<kOneBlock>},
    Shape{"usb pci", Kind::scalar, hint_of_ids},
    Shape{"attribute property file", Kind::scalar, hint_of_condition},
    Shape{"attribute property file", Kind::sequence, say<kConditionsByName>},
    Shape{"members", Kind::sequence, say<kMembersByName>},
    Shape{"hostPath containerPath path value by id tcp", Kind::sequence, say<kOneText>},
};

std::optional<std::string> known_hint(std::string_view name, const YamlNode& node) {
  for (const Shape& shape : kShapes) {
    const auto names = split(shape.names, ' ');
    if (shape.got != node.kind || std::ranges::find(names, name) == names.end()) continue;
    if (auto hint = shape.hint(name, node)) return hint;
  }
  return std::nullopt;
}

const KeyInfo* find_key(std::string_view name) {
  for (const BlockInfo& block : language()) {
    const auto found = std::ranges::find(block.keys, name, &KeyInfo::name);
    if (found != block.keys.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

std::string shape_hint(std::string_view name, const YamlNode& node) {
  if (auto hint = known_hint(name, node)) return *std::move(hint);
  const std::string example = example_of(name);
  return example.empty() ? std::string(kQuoteBrackets) : fmt::format("such as {}", example);
}

std::string shape_hint(const KeyInfo& info, const YamlNode& node) {
  if (info.about.empty()) return std::string(kQuoteBrackets);  // The key is a name of the user.
  if (auto hint = known_hint(info.name, node)) return *std::move(hint);
  return fmt::format("such as {}: {}", info.name, info.example);
}

std::string example_of(std::string_view block) {
  const auto blocks = language();
  const auto found = std::ranges::find(blocks, block, &BlockInfo::name);
  const KeyInfo* const key = find_key(block);
  const bool mapping = key != nullptr && key->example.starts_with('{');
  if (found == blocks.end() || mapping) return key == nullptr ? "" : std::string(key->example);
  std::vector<std::string> fields;
  for (const KeyInfo& info : found->keys) {
    if (info.required) fields.push_back(fmt::format("{}: {}", info.name, info.example));
  }
  if (fields.empty()) {
    fields.push_back(fmt::format("{}: {}", found->keys[0].name, found->keys[0].example));
  }
  return fmt::format("{{{}}}", join(fields, ", "));
}

}  // namespace patchbay::config
