#include "rules/text/attribute_name.h"

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::rules {

std::optional<std::string> attribute_name_fault(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.starts_with('/')) return "begins with '/', but is a path below the device";
  if (has_control_character(name)) return "contains a control character";
  if (name.find("$(") != std::string_view::npos)
    return "contains '$(', but variables are not expanded here";
  size_t stars = 0;
  for (const std::string_view component : split(name, '/')) {
    if (component.empty()) return name.ends_with('/') ? "ends in '/'" : "contains '//'";
    if (component == "." || component == "..") return fmt::format("contains '{}'", component);
    if (component == "*") {
      ++stars;
    } else if (component.find_first_of("*?[\\") != std::string_view::npos) {
      return fmt::format("contains '{}', but a wildcard '*' must be a whole path component",
                         component);
    }
  }
  if (stars > 1) return "contains more than one '*'";
  return std::nullopt;
}

}  // namespace patchbay::rules
