#include "config/schema.h"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/whole_number.h"
#include "config/diagnostics.h"
#include "config/keys.h"
#include "config/value_reader.h"
#include "config/yaml_tree.h"
#include "model/fact.h"

namespace patchbay::config {
namespace {

using Json = nlohmann::ordered_json;

/// A scalar in the form that an editor inserts, so that YAML reads the same text.
Json scalar_as_json(const YamlNode& node) {
  if (node.quoted) return node.text;
  if (node.text == "true" || node.text == "false") return node.text == "true";
  const auto number = parse_whole<int>(node.text);
  if (number && std::to_string(*number) == node.text) return *number;
  return node.text;
}

Json as_json(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::sequence) {
    Json list = Json::array();
    for (const YamlNode& item : node.items) list.push_back(as_json(item));
    return list;
  }
  if (node.kind == YamlNode::Kind::mapping) {
    Json map = Json::object();
    for (const YamlEntry& entry : node.entries) map[entry.key.value] = as_json(entry.value);
    return map;
  }
  return scalar_as_json(node);
}

/// A value of a key table, which is YAML.
Json as_json(std::string_view yaml) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<const Source>(Source{"example", std::string(yaml)});
  const auto node = parse_yaml(source, diagnostics);
  return node ? as_json(*node) : Json();
}

/// A reference to the definition with that name.
Json reference(std::string_view name) { return {{"$ref", "#/definitions/" + std::string(name)}}; }

Json list_of(Json items, int least) {
  Json schema{{"type", "array"}};
  if (least > 0) schema["minItems"] = least;
  schema["items"] = std::move(items);
  return schema;
}

Json map_of(Json values, int least) {
  Json schema{{"type", "object"}};
  if (least > 0) schema["minProperties"] = least;
  schema["additionalProperties"] = std::move(values);
  return schema;
}

Json any_of(std::initializer_list<Json> schemas) { return {{"anyOf", Json(schemas)}}; }

/// Scalars are text as written. Values that YAML reads as numbers are text, too.
Json text(bool may_be_empty) {
  Json schema{{"type", Json::array({"string", "number", "boolean"})}};
  if (!may_be_empty) schema["minLength"] = 1;
  return schema;
}

/// A number. With a unit or a template it is a string.
Json number() { return {{"type", Json::array({"string", "number"})}, {"minLength", 1}}; }

Json words(std::span<const std::string_view> all) {
  Json list = Json::array();
  for (const std::string_view word : all) list.push_back(word);
  return {{"enum", std::move(list)}};
}

/// The block name of `any` and `except` in a match of that kind.
constexpr const char* block_name(RuleKind kind) {
  switch (kind) {
    case RuleKind::glob:
      return "blockOfPath";
    case RuleKind::static_name:
      return "blockOfName";
    default:
      return "blockOfDevice";
  }
}

/// One block or a list of blocks. `any` and `all` need a list. A list for `ancestor` would be
/// ambiguous.
Json blocks(std::string_view block, std::string_view key) {
  Json list = list_of(reference(block), 1);
  if (key == "any" || key == "all") return list;
  if (key == "ancestor") list["maxItems"] = 1;
  return any_of({reference(block), std::move(list)});
}

/// Whether a match of that kind, or a block in it, has the key.
bool is_key_of(std::string_view key, RuleKind kind) {
  const auto facts = all_facts();
  const auto fact = std::ranges::find(facts, key, &FactInfo::word);
  const bool pattern = key == "sysfs" || key == "glob" || key == "static";
  if (pattern || key == "subsystem") return key == rule_word(kind);
  if (fact != facts.end()) return fact->compared_in.contains(kind);
  return key != "ancestor" || kDeviceRules.contains(kind);
}

Json members() {
  Json schema = map_of(reference("member"), 1);
  schema["propertyNames"] = {{"pattern", "^[A-Za-z][A-Za-z0-9_-]*$"}};
  return schema;
}

Json attributes() {
  Json schema = map_of(any_of({text(false), reference("dra.attribute")}), 0);
  schema["propertyNames"] = {{"pattern", "^([a-z0-9.-]{1,63}/)?[A-Za-z_][A-Za-z0-9_]{0,31}$"}};
  return schema;
}

Json schema_of(const KeyInfo& key) {
  switch (key.type) {
    case ValueType::text:
      return text(key.may_be_empty);
    case ValueType::number:
      return number();
    case ValueType::boolean:
      return {{"type", "boolean"}};
    case ValueType::duration:
      return {{"type", "string"},
              {"pattern", "^(?=[0-9])([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$"}};
    case ValueType::word:
      return words(key.words);
    case ValueType::words:
      return any_of({words(key.words), list_of(words(key.words), 1)});
    case ValueType::size:
      return {{"type", Json::array({"string", "integer"})},
              {"pattern", "^[0-9]+(-[0-9]+|\\+)?$"},
              {"minimum", 0}};
    case ValueType::file_mode:
      return {{"type", "string"}, {"pattern", "^0[0-7]{3}$"}};
    case ValueType::patterns:
      return any_of({text(false), list_of(text(false), 1)});
    case ValueType::arguments:
      return list_of(text(key.may_be_empty), 1);
    case ValueType::condition:
      return reference("value");
    case ValueType::named_conditions:
      return map_of(reference("value"), 1);
    case ValueType::blocks:
      return blocks(key.name, key.name);
    case ValueType::match:
      return reference("match");
    case ValueType::when:
      return reference("when");
    case ValueType::share:
      return reference("share");
    case ValueType::node_conditions:
      return blocks("when", key.name);
    case ValueType::members:
      return members();
    case ValueType::fields:
    case ValueType::defaults:
    case ValueType::write:
    case ValueType::wait:
      return reference(key.name);
    case ValueType::open:
      return any_of({text(false), reference("open")});
    case ValueType::cdi:
      return any_of({{{"const", "write"}}, list_of(text(false), 1)});
    case ValueType::resources:
      return list_of(reference("resource"), 1);
    case ValueType::groups:
      return list_of(reference("group"), 1);
    case ValueType::devices:
      return list_of(any_of({reference("device"), text(false)}), 0);
    case ValueType::mounts:
      return list_of(reference("mount"), 0);
    case ValueType::health:
      return list_of(reference("health"), 0);
    case ValueType::steps:
      return list_of(reference("step"), 0);
    case ValueType::envs:
      return map_of(any_of({text(true), reference("env")}), 0);
    case ValueType::annotations:
      return map_of(text(true), 0);
    case ValueType::group_dra:
      return reference("resource.dra");
    case ValueType::attributes:
      return attributes();
  }
  return Json::object();
}

void add_keys(Json& schema, const BlockInfo& block) {
  for (const KeyInfo& key : block.keys) {
    Json described{{"title", std::string(key.name)}, {"description", std::string(key.about)}};
    if (!key.default_value.empty()) described["default"] = as_json(key.default_value);
    described["examples"] = Json::array({as_json(key.example)});
    described.update(schema_of(key));
    // emplace() keeps the resource's own keys: `when` of its only group is the resource's.
    schema["properties"].emplace(std::string(key.name), std::move(described));
    if (key.required) schema["required"].push_back(key.name);
  }
}

Json schema_of(const BlockInfo& block) {
  Json schema{{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
  add_keys(schema, block);
  return schema;
}

const BlockInfo& block(std::string_view name) {
  return *std::ranges::find(language(), name, &BlockInfo::name);
}

/// The keys of `match`, or of a block in it, for rules of that kind.
Json match_of_kind(std::string_view name, RuleKind kind) {
  BlockInfo keys = block(name);
  std::erase_if(keys.keys, [&](const KeyInfo& key) { return !is_key_of(key.name, kind); });
  Json schema = schema_of(keys);
  for (const char* const key : {"any", "all", "except"}) {
    Json described = schema["properties"][key];
    described.erase("items");
    described.erase("anyOf");
    described.update(blocks(block_name(kind), key));
    if (!kDeviceRules.contains(kind)) {
      const bool one = std::string_view(key) == "except";
      described["examples"] =
          Json::array({as_json(one ? R"({name: "bad*"})" : R"([{name: "a*"}, {name: "b*"}])")});
    }
    schema["properties"][key] = std::move(described);
  }
  return schema;
}

/// The key that finds devices determines the other keys, and the messages of an editor. A choice of
/// four schemas would show the messages of the first one only.
Json match() {
  Json choices = Json::array();
  const auto all = {RuleKind::subsystem, RuleKind::sysfs, RuleKind::glob, RuleKind::static_name};
  for (const RuleKind kind : all) {
    const std::string word(rule_word(kind));
    choices.push_back({{"required", Json::array({word})}});
  }
  Json none{{"type", "object"}, {"properties", Json::object()}, {"anyOf", std::move(choices)}};
  for (const RuleKind kind : all) {
    const std::string word(rule_word(kind));
    none["properties"][word] = match_of_kind("match", kind)["properties"][word];
  }
  Json chosen = std::move(none);
  for (const RuleKind kind : std::ranges::reverse_view(all)) {
    Json of_kind = match_of_kind("match", kind);
    of_kind["required"] = Json::array({std::string(rule_word(kind))});
    chosen = {{"if", {{"type", "object"}, {"required", of_kind["required"]}}},
              {"then", std::move(of_kind)},
              {"else", std::move(chosen)}};
  }
  return chosen;
}

Json group() {
  Json schema = schema_of(block("group"));
  for (const char* key : {"size", "members"}) schema["dependencies"][key] = Json::array({"by"});
  return schema;
}

/// A resource has the keys of its only group, or a list of groups.
Json resource() {
  Json schema = schema_of(block("resource"));
  const Json required = schema["required"];
  add_keys(schema, block("group"));
  schema["required"] = required;
  schema["dependencies"] = group()["dependencies"];
  // Keys that need `match` are invalid beside `groups`.
  for (const char* key : {"by", "expect"}) schema["dependencies"][key] = Json::array({"match"});
  schema["oneOf"] = Json::array(
      {{{"required", Json::array({"match"})}}, {{"required", Json::array({"groups"})}}});
  return schema;
}

/// A number of shares, or a total size and the size of a share.
Json share() {
  Json schema = schema_of(block("share"));
  const Json times{{"required", Json::array({"count"})}};
  const Json size{{"required", Json::array({"total", "each"})}};
  schema["oneOf"] = Json::array({times, size});
  schema["dependencies"]["total"] = Json::array({"each"});
  schema["dependencies"]["each"] = Json::array({"total"});
  return schema;
}

/// A list item with exactly one of the `choices`, and its options.
Json item(std::string_view name, std::initializer_list<const char*> choices) {
  Json schema = schema_of(block(name));
  for (const char* key : choices) {
    schema["oneOf"].push_back({{"required", Json::array({key})}});
  }
  return schema;
}

/// The value of a condition: a glob, a list of alternatives, or a block.
Json value() {
  return any_of({text(false), list_of(reference("value"), 1), reference("condition")});
}

}  // namespace

std::string json_schema() {
  Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", "Patchbay configuration, patchbay/v1"}};
  schema.update(schema_of(block("config")));
  schema["properties"]["apiVersion"]["const"] = "patchbay/v1";
  schema["properties"]["kind"]["const"] = "Config";
  Json& definitions = schema["definitions"];
  definitions["value"] = value();
  for (const BlockInfo& one : language()) {
    if (one.name != "config") definitions[std::string(one.name)] = schema_of(one);
  }
  definitions["match"] = match();
  for (const RuleKind kind : {RuleKind::subsystem, RuleKind::glob, RuleKind::static_name}) {
    definitions[block_name(kind)] = match_of_kind("any", kind);
  }
  definitions.erase("any");
  definitions.erase("all");
  definitions.erase("except");
  definitions["condition"]["minProperties"] = 1;
  definitions["when"]["minProperties"] = 1;
  definitions["resource.dra"]["minProperties"] = 1;
  definitions["health"] = item("health", {"open", "attribute", "property", "file", "exec", "tcp"});
  definitions["step"] = item("step", {"exec", "write", "usbReset", "wait"});
  definitions["dra.attribute"] = item("dra.attribute", {"int", "bool", "version"});
  definitions["share"] = share();
  definitions["group"] = group();
  definitions["resource"] = resource();
  // Without an own title, an editor shows that of the whole file.
  for (const auto& [name, definition] : definitions.items()) {
    definition["title"] = name.starts_with("blockOf") ? "block" : name;
  }
  return schema.dump(2) + "\n";
}

}  // namespace patchbay::config
