#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "config/part_readers.h"

namespace patchbay::config {
namespace {

constexpr std::array kConditionKeys = {
    key<&ConditionSpec::regex>("regex", "The whole value matches this RE2 expression.",
                               {.example = R"('ttyS(?P<port>\d+)')"}),
    key<&ConditionSpec::gt>("gt", "The value is a number greater than this one.",
                            {.example = "0", .type = ValueType::number}),
    key<&ConditionSpec::ge>("ge", "The value is a number greater than or equal to this one.",
                            {.example = "8Gi", .type = ValueType::number}),
    key<&ConditionSpec::lt>("lt", "The value is a number less than this one.",
                            {.example = "95000", .type = ValueType::number}),
    key<&ConditionSpec::le>("le", "The value is a number less than or equal to this one.",
                            {.example = "0x10", .type = ValueType::number}),
    key<&ConditionSpec::exists>("exists", "The value is present (true) or absent (false).",
                                {.example = "false"}),
    key<&ConditionSpec::negated>("not", "The value is present and does not match this condition.",
                                 {.example = R"([lo, "veth*"])"})};

constexpr std::array kPatternKeys = {
    key<&MatchSpec::sysfs>("sysfs", "A sysfs rule: patterns of directories under /sys.",
                           {.example = "/sys/class/net/eth*"}),
    key<&MatchSpec::glob>("glob", "A glob rule: patterns of paths of the host.",
                          {.example = "[/dev/fuse, /dev/net/tun]"}),
    key<&MatchSpec::static_names>("static",
                                  "A static rule: names of units that need nothing on the host.",
                                  {.example = "[scope1, scope2]"})};

constexpr std::array kBlockKeys = {
    key<&MatchSpec::any>("any",
                         "At least one of these blocks matches; the first that matches captures.",
                         {.example = "[{driver: ftdi_sio}, {driver: cp210x}]"}),
    key<&MatchSpec::all>("all", "All of these blocks match.",
                         {.example = "[{ancestor: {driver: xhci_hcd}}, {ancestor: {name: 1-2}}]"}),
    key<&MatchSpec::except>("except", "None of these blocks matches.",
                            {.example = "{usb: {serial: BROKEN*}}"}),
    key<&MatchSpec::ancestor>("ancestor", "The block matches one ancestor of the device.",
                              {.example = "{subsystem: usb, devtype: usb_device}"})};

constexpr std::array kWhenBlockKeys = {key<&MatchSpec::except>(
    "except", "None of these blocks matches.",
    {.example = "{node: [bench-7, bench-9]}", .type = ValueType::node_conditions})};

bool read_list(const YamlNode& node, const KeyInfo& info, ConditionSpec& out,
               Diagnostics& diagnostics) {
  out.form = ConditionSpec::Form::list;
  ValueNodes values = one_or_list(node, info, diagnostics);
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

ValueType type_of(const FactInfo& fact) {
  if (fact.fact == Fact::type) return ValueType::words;
  if (fact.fact == Fact::glob) return ValueType::patterns;
  if (!fact.has_argument) return ValueType::condition;
  return fact.fields.empty() ? ValueType::named_conditions : ValueType::fields;
}

KeyInfo key_of(const FactInfo& fact, std::string_view block) {
  if (block == "when" && fact.fact == Fact::file) {
    // A `when` has no values of devices.
    return {.name = fact.word,
            .about = "Conditions on files of the host, by path.",
            .example = R"({/proc/device-tree/model: "Raspberry Pi 5*"})",
            .type = type_of(fact)};
  }
  return {
      .name = fact.word,
      .about = fact.about,
      .example = fact.example,
      .words = fact.fact == Fact::type ? path_type_words() : std::span<const std::string_view>{},
      .type = type_of(fact)};
}

std::vector<KeyInfo> field_keys(const FactInfo& fact) {
  std::vector<KeyInfo> keys;
  for (const FactField& field : fact.fields) {
    if (field.about.empty()) continue;
    keys.push_back({.name = field.name,
                    .about = field.about,
                    .example = field.example,
                    .type = ValueType::condition});
  }
  return keys;
}

/// The facts that can be compared in a `when`, a match, a block of it, or an `ancestor`, in the
/// order of the reference.
std::vector<const FactInfo*> facts_in(std::string_view block) {
  if (block == "when") {
    std::vector<const FactInfo*> facts;
    for (const FactInfo& fact : all_facts()) {
      if (fact.compared_in.contains(RuleKind::node)) facts.push_back(&fact);
    }
    return facts;
  }
  const bool above = block == "ancestor";
  std::vector<const FactInfo*> facts;
  const auto add = [&](Fact fact) { facts.push_back(&info(fact)); };
  if (block == "match" || above) add(Fact::subsystem);
  // `path` and `file` are not facts of a parent device.
  if (!above) add(Fact::path);
  if (!above) add(Fact::type);
  for (const FactInfo& fact : all_facts()) {
    if (fact.fact != Fact::subsystem && fact.compared_in.contains(RuleKind::subsystem) &&
        fact.cost != Cost::file) {
      facts.push_back(&fact);
    }
  }
  if (!above) add(Fact::file);
  return facts;
}

BlockInfo fact_block(std::string_view name) {
  BlockInfo block{name, {}};
  for (const FactInfo* fact : facts_in(name)) block.keys.push_back(key_of(*fact, name));
  return block;
}

/// Types of paths are fixed words, not patterns.
bool read_types(const YamlNode& node, const KeyInfo& info, ConditionSpec& out,
                Diagnostics& diagnostics) {
  std::vector<Located<std::string>> types;
  const bool ok = read_value(node, info, types, diagnostics);
  out.form = ConditionSpec::Form::list;
  for (auto& [word, at] : types) {
    ConditionSpec& type = out.list.emplace_back();
    type.at = at;
    type.text = std::move(word);
  }
  if (!out.list.empty()) out.at = out.list.front().at;
  return ok;
}

/// Reads the keys of a block with fields, such as `usb`. Each is a condition.
bool read_fields(const YamlNode& node, const FactInfo& fact, std::vector<NamedConditionSpec>& out,
                 Diagnostics& diagnostics) {
  MapReader map(node, fact.word, diagnostics);
  bool ok = true;
  for (const KeyInfo& key : field_keys(fact)) {
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

/// Rejects several blocks, which users understand both as `any` and as `all`.
bool check_one_ancestor(const YamlNode& node, Diagnostics& diagnostics) {
  if (node.kind != YamlNode::Kind::sequence || node.items.size() <= 1) return true;
  diagnostics.error(
      node.at, "a list for 'ancestor' is ambiguous: it can mean any or all of its items",
      "to match any of them write any: [{ancestor: …}, {ancestor: …}], to match all write all: "
      "[{ancestor: …}, {ancestor: …}]");
  return false;
}

/// Reads patterns of which one must match a path.
bool read_patterns(const YamlNode& node, const KeyInfo& key, MatchSpec& out,
                   Diagnostics& diagnostics) {
  std::vector<Located<std::string>> patterns;
  const bool ok = read_value(node, key, patterns, diagnostics);
  for (Located<std::string>& pattern : patterns) {
    MatchSpec& block = patterns.size() == 1 ? out : out.any.emplace_back();
    if (patterns.size() > 1) block.at = pattern.at;
    FactConditionSpec& spec = block.conditions.emplace_back();
    spec.fact = Fact::glob;
    spec.condition.at = pattern.at;
    spec.condition.form = ConditionSpec::Form::mapping;
    spec.condition.exists = {true, pattern.at};
    spec.name = std::move(pattern);
  }
  return ok;
}

/// Keeps the readable conditions.
bool read_conditions(const YamlNode& node, const FactInfo& fact, const KeyInfo& key,
                     std::vector<FactConditionSpec>& out, Diagnostics& diagnostics) {
  if (!fact.has_argument) {
    FactConditionSpec spec{.fact = fact.fact, .name = {}, .condition = {}};
    const bool ok = fact.fact == Fact::type ? read_types(node, key, spec.condition, diagnostics)
                                            : read_value(node, key, spec.condition, diagnostics);
    if (ok) out.push_back(std::move(spec));
    return ok;
  }
  std::vector<NamedConditionSpec> named;
  const bool ok = fact.fields.empty() ? read_value(node, key, named, diagnostics)
                                      : read_fields(node, fact, named, diagnostics);
  for (auto& [name, condition] : named) {
    out.push_back({fact.fact, std::move(name), std::move(condition)});
  }
  return ok;
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
    return report_type(
        node, "a mapping (name: condition)", info.name, diagnostics,
        info.name == "env" ? "write a mapping, unlike in a Pod: {POOL: \"gpu*\"}" : "");
  }
  if (report_empty_mapping(node, info, diagnostics)) return false;
  bool ok = true;
  for (const YamlEntry& entry : node.entries) {
    const std::string& name = entry.key.value;
    if (info.name == "file" && !name.empty() && !name.starts_with('/') && !name.starts_with('$')) {
      diagnostics.error(entry.key.at,
                        fmt::format("'{}' is not the path of a file", printable(name, kMaxShown)),
                        "a condition has the path as its name: file: {/etc/lab/mode: VALUE}");
      ok = false;
      continue;
    }
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

bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<MatchSpec>& out,
                Diagnostics& diagnostics) {
  ValueNodes values = block_items(node, info, diagnostics);
  if (info.name == "ancestor" && !check_one_ancestor(node, diagnostics)) values.ok = false;
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
  const bool of_node = info.type == ValueType::when || info.type == ValueType::node_conditions;
  if (of_node && node.kind != YamlNode::Kind::mapping) {
    return report_type(node, "a mapping", info.name, diagnostics,
                       "to compare the node's name, write {node: NAME}");
  }
  const std::string_view block = of_node ? "when" : info.name;
  MapReader map(node, block, diagnostics);
  bool ok = true;
  if (info.type == ValueType::match) map.read(kPatternKeys, out);
  for (const FactInfo* fact : facts_in(block)) {
    const KeyInfo key = key_of(*fact, block);
    const YamlNode* const value = map.take(key);
    if (value == nullptr) continue;
    const bool read = fact->fact == Fact::glob
                          ? read_patterns(*value, key, out, diagnostics)
                          : read_conditions(*value, *fact, key, out.conditions, diagnostics);
    ok = read && ok;
  }
  if (of_node) {
    map.read(kWhenBlockKeys, out);
  } else if (block != "ancestor") {
    map.read(kBlockKeys, out);
  }
  const auto known = key_names(block);
  for (const YamlEntry& entry : node.entries) {
    if (std::ranges::find(known, entry.key.value) != known.end()) out.keys.push_back(entry.key);
  }
  out.broken = !map.finish() || !ok;
  return !out.broken;
}

const ConditionSpec* MatchSpec::find(Fact fact) const {
  const auto found = std::ranges::find(conditions, fact, &FactConditionSpec::fact);
  return found == conditions.end() ? nullptr : &found->condition;
}

std::vector<BlockInfo> match_blocks() {
  std::vector<BlockInfo> blocks;
  for (const std::string_view name : {"match", "any", "all", "except", "ancestor"}) {
    auto& keys = blocks.emplace_back(fact_block(name)).keys;
    const auto patterns = key_infos(kPatternKeys);
    if (name == "match") keys.insert(keys.begin() + 1, patterns.begin(), patterns.end());
    if (name != "ancestor") std::ranges::copy(key_infos(kBlockKeys), std::back_inserter(keys));
  }
  for (const FactInfo& fact : all_facts()) {
    if (!fact.fields.empty()) blocks.push_back({fact.word, field_keys(fact)});
  }
  blocks.push_back({"condition", key_infos(kConditionKeys)});
  return blocks;
}

BlockInfo when_block() {
  BlockInfo block = fact_block("when");
  std::ranges::copy(key_infos(kWhenBlockKeys), std::back_inserter(block.keys));
  return block;
}

}  // namespace patchbay::config
