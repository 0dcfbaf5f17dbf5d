#include "rules/attribute_name.h"

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::rules {

std::optional<std::string> attribute_name_fault(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.starts_with('/')) return "begins with '/', but is a path below the device";
  if (has_control_character(name)) return "holds a control character";
  if (name.find("$(") != std::string_view::npos)
    return "holds a '$(', but nothing is expanded here";
  size_t stars = 0;
  for (const std::string_view component : split(name, '/')) {
    if (component.empty()) return name.ends_with('/') ? "ends in '/'" : "holds '//'";
    if (component == "." || component == "..") return fmt::format("holds '{}'", component);
    if (component == "*") {
      ++stars;
    } else if (component.find_first_of("*?[\\") != std::string_view::npos) {
      return fmt::format("holds '{}', but only a whole part can be a wildcard, '*'", component);
    }
  }
  if (stars > 1) return "holds more than one '*'";
  return std::nullopt;
}

}  // namespace patchbay::rules
