#include "suggest/kinds.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "config/diagnostics.h"
#include "config/spec_reader.h"
#include "config/yaml_writer.h"
#include "rules/compile.h"
#include "rules/text/text_use.h"
#include "suggest/embedded_kinds.h"

namespace patchbay::suggest {
namespace {

using config::YamlEntry;
using config::YamlNode;

const std::vector<std::vector<std::string>> kDefaultLike{{"usb.vendor", "usb.product"},
                                                         {"pci.vendor", "pci.device", "pci.driver"},
                                                         {"property.OF_COMPATIBLE_0"},
                                                         {"driver"}};
const std::vector<std::vector<std::string>> kDefaultOne{
    {"usb.serial"},       {"usb.serial", "usb.interface"},
    {"usb.socket"},       {"usb.socket", "usb.interface"},
    {"pci.address"},      {"property.OF_FULLNAME"},
    {"property.ID_PATH"}, {"name"}};
const std::vector<std::string> kDefaultLinks{"by-id", "by-path"};

std::vector<std::string> texts(const YamlNode& list) {
  std::vector<std::string> all;
  for (const YamlNode& item : list.items) all.push_back(item.text);
  return all;
}

/// A text among the lists is a list of one.
std::vector<std::vector<std::string>> lists(const YamlNode& list) {
  std::vector<std::vector<std::string>> all;
  for (const YamlNode& item : list.items) {
    all.push_back(item.kind == YamlNode::Kind::scalar ? std::vector{item.text} : texts(item));
  }
  return all;
}

Kind kind_of(const YamlNode& row) {
  Kind kind{.about = text_of(row, "about"),
            .owner = text_of(row, "owner"),
            .devtype = text_of(row, "devtype"),
            .rule = *value_of(row, "rule"),
            .like = kDefaultLike,
            .one = kDefaultOne,
            .like_text = text_of(row, "likeText"),
            .links = kDefaultLinks,
            .id = text_of(row, "id"),
            .container = text_of(row, "container"),
            .doubtful = text_of(row, "doubtful"),
            .refused = text_of(row, "refused")};
  if (const YamlNode* like = value_of(row, "like")) kind.like = lists(*like);
  if (const YamlNode* one = value_of(row, "one")) kind.one = lists(*one);
  if (const YamlNode* links = value_of(row, "links")) kind.links = texts(*links);
  return kind;
}

std::shared_ptr<const config::Source> source_of(std::string_view text) {
  return std::make_shared<const config::Source>(config::Source{"kinds.yaml", std::string(text)});
}

/// All rows: kinds of hardware, then those with an owner.
std::span<const KindPtr> all_rows() {
  static const std::vector<KindPtr> all = [] {
    config::Diagnostics diagnostics;
    const auto table = config::parse_yaml(source_of(kKindsYaml), diagnostics);
    assert(table && diagnostics.ok());
    std::vector<KindPtr> kinds;
    for (const YamlNode& row : table->items) {
      kinds.push_back(std::make_shared<const Kind>(kind_of(row)));
    }
    return kinds;
  }();
  return all;
}

size_t first_owner() {
  return static_cast<size_t>(
      std::ranges::find_if(all_rows(), [](const KindPtr& kind) { return !kind->owner.empty(); }) -
      all_rows().begin());
}

/// The subsystem or a file name as the name of a resource.
std::string resource_name(std::string name) {
  constexpr size_t kLongest = 60;
  name.resize(std::min(name.size(), kLongest));
  for (char& c : name) {
    if (!is_alphanumeric(c)) c = '-';
  }
  return is_alphanumeric(name.front()) && is_alphanumeric(name.back()) ? name : "device";
}

/// A device can have a value with `$(`, which would be a variable.
std::string without_variables(std::string text) {
  for (size_t at = text.find("$("); at != std::string::npos; at = text.find("$(", at + 3)) {
    text.insert(at, "$");
  }
  return text;
}

void remove_key(YamlNode& mapping, std::string_view key) {
  std::erase_if(mapping.entries, [&](const YamlEntry& entry) { return entry.key.value == key; });
}

}  // namespace

std::span<const KindPtr> kinds() { return all_rows().first(first_owner()); }

std::span<const KindPtr> owners() { return all_rows().subspan(first_owner()); }

YamlNode exact_text(const std::string& text) {
  return config::yaml_text(without_variables(rules::escape_literal(text, rules::TextUse::pattern)));
}

KindPtr unknown_kind(const Kind& owner, const std::vector<std::string>& subsystems,
                     const std::string& name, const std::string& devtype) {
  std::vector<YamlNode> conditions;
  for (const std::string& subsystem : subsystems) conditions.push_back(exact_text(subsystem));
  const bool several = conditions.size() > 1;
  YamlNode rule = config::yaml_mapping({{"name", config::yaml_text(resource_name(name))}});
  YamlNode& match = value_in(rule, "match") = config::yaml_mapping({});
  value_in(match, "subsystem") = several ? config::yaml_list(std::move(conditions)) : conditions[0];
  if (!devtype.empty()) value_in(match, "devtype") = exact_text(devtype);
  for (const YamlEntry& entry : value_of(owner.rule, "match")->entries) {
    match.entries.push_back(entry);
  }
  for (const YamlEntry& entry : owner.rule.entries) {
    if (entry.key.value != "match") rule.entries.push_back(entry);
  }
  Kind kind = owner;
  kind.rule = std::move(rule);
  return std::make_shared<const Kind>(std::move(kind));
}

KindPtr node_kind(const std::string& path) {
  YamlNode match = config::yaml_mapping(
      {{"glob", exact_text(path)},
       {"type", config::yaml_list({config::yaml_text("char"), config::yaml_text("block")})}});
  Kind kind = *owners().back();
  kind.about = "a device node that belongs to no device of the kernel";
  kind.rule = config::yaml_mapping(
      {{"name", config::yaml_text(resource_name(std::string(base_name(path))))},
       {"match", std::move(match)}});
  return std::make_shared<const Kind>(std::move(kind));
}

YamlNode configuration_of(std::vector<YamlNode> resources) {
  YamlNode file = config::yaml_mapping(
      {{"apiVersion", config::yaml_text("patchbay/v1")}, {"kind", config::yaml_text("Config")}});
  YamlNode& value = value_in(file, "resources");
  if (!resources.empty()) value = config::yaml_list(std::move(resources));
  return file;
}

rules::PlanPtr plan_of(std::span<const KindPtr> kinds) {
  std::vector<YamlNode> resources;
  for (const KindPtr& kind : kinds) {
    YamlNode resource = kind->rule;
    value_in(resource, "name") =
        config::yaml_text(fmt::format("kinds.example.com/k{}", resources.size()));
    value_in(resource, "claim") = config::yaml_text("shared");
    remove_key(resource, "id");
    remove_key(resource, "health");
    // Names are unique in a subsystem, unlike serials. Units with `by` have unique ids.
    if (value_of(resource, "by") == nullptr) {
      value_in(resource, "id") = config::yaml_text("$(name)");
    }
    resources.push_back(std::move(resource));
  }
  const std::string text = config::write_yaml(configuration_of(std::move(resources)));
  config::Diagnostics diagnostics;
  const std::array specs{config::read_spec(source_of(text), diagnostics)};
  return rules::compile(specs, {.node = "node"}, diagnostics);
}

}  // namespace patchbay::suggest
