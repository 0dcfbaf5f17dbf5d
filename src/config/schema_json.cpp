#include "config/schema_json.h"

#include <memory>
#include <string>
#include <utility>

#include "base/whole_number.h"
#include "config/diagnostics.h"
#include "config/yaml_tree.h"

namespace patchbay::config {
namespace {

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

}  // namespace

Json as_json(std::string_view yaml) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<const Source>(Source{"example", std::string(yaml)});
  const auto node = parse_yaml(source, diagnostics);
  return node ? as_json(*node) : Json();
}

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

Json text(bool may_be_empty) {
  Json schema{{"type", Json::array({"string", "number", "boolean"})}};
  if (!may_be_empty) schema["minLength"] = 1;
  return schema;
}

Json number() { return {{"type", Json::array({"string", "number"})}, {"minLength", 1}}; }

Json words(std::span<const std::string_view> all) {
  Json list = Json::array();
  for (const std::string_view word : all) list.push_back(word);
  return {{"enum", std::move(list)}};
}

}  // namespace patchbay::config
