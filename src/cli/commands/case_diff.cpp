#include "cli/commands/case_diff.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/config_input.h"
#include "cli/commands/status_fields.h"

namespace patchbay::cli {
namespace {

/// The list as an object, so that an element keeps its path if others come and go.
Json keyed(const Json& list, const char* name) {
  Json elements = Json::object();
  for (const Json& element : list) elements[text_at(element, name)] = element;
  return elements.size() == list.size() ? elements : list;
}

Json with_keys(Json json) {
  if (!json.is_object()) return json;
  Json resources = keyed(field_at(json, "resources"), "name");
  for (Json& resource : resources) {
    if (resource.is_object()) resource["units"] = keyed(field_at(resource, "units"), "id");
  }
  json["resources"] = std::move(resources);
  return json;
}

/// "1 unit gone, 2 units changed"
std::string units_text(const Json& expected, const Json& found) {
  size_t gone = 0;
  size_t changed = 0;
  for (const auto& [id, unit] : expected.items()) {
    if (!found.contains(id)) {
      ++gone;
    } else if (found[id] != unit) {
      ++changed;
    }
  }
  const size_t added = found.size() - (expected.size() - gone);
  std::vector<std::string> parts;
  if (gone > 0) parts.push_back(count_text(gone, "unit") + " gone");
  if (added > 0) parts.push_back(count_text(added, "unit") + " new");
  if (changed > 0) parts.push_back(count_text(changed, "unit") + " changed");
  return parts.empty() ? "changed" : join(parts, ", ");
}

std::string sentence(const Json& expected, const Json& found) {
  std::vector<std::string> parts;
  for (const auto& [name, resource] : expected.items()) {
    if (!found.contains(name)) {
      parts.push_back(printable(name) + ": resource gone");
    } else if (found[name] != resource) {
      parts.push_back(printable(name) + ": " +
                      units_text(field_at(resource, "units"), field_at(found[name], "units")));
    }
  }
  for (const auto& [name, resource] : found.items()) {
    if (!expected.contains(name)) parts.push_back(printable(name) + ": resource new");
  }
  return parts.empty() ? "the resources are as expected, other fields are not" : join(parts, "; ");
}

/// The path of a value for people: "~1" stands for "/".
std::string shown_path(std::string pointer) {
  for (size_t at = 0; (at = pointer.find("~1")) != std::string::npos;) pointer.replace(at, 2, "/");
  return printable(pointer, 500);
}

}  // namespace

std::string case_diff(const Json& expected, const Json& found) {
  const Json before = with_keys(expected);
  const Json after = with_keys(found);
  const Json changes = Json::diff(before, after);
  if (changes.empty()) return {};
  std::string text = sentence(field_at(before, "resources"), field_at(after, "resources")) + '\n';
  const auto add = [&](char mark, const std::string& pointer, const Json& value) {
    text += fmt::format("{}{}: {}\n", mark, shown_path(pointer),
                        printable(trim_end(json_text(value, -1)), 500));
  };
  for (const Json& change : changes) {
    const std::string pointer = text_at(change, "path");
    const std::string kind = text_at(change, "op");
    if (kind != "add") add('-', pointer, before.at(Json::json_pointer(pointer)));
    if (kind != "remove") add('+', pointer, change.at("value"));
  }
  return text;
}

}  // namespace patchbay::cli
