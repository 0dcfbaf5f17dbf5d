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
  for (const std::string_view part : split(name, '/')) {
    if (part.empty()) return name.ends_with('/') ? "ends in '/'" : "holds '//'";
    if (part == "." || part == "..") return fmt::format("holds '{}'", part);
    if (part == "*") {
      ++stars;
    } else if (part.find_first_of("*?[\\") != std::string_view::npos) {
      return fmt::format("holds '{}', but only a whole part can be a wildcard, '*'", part);
    }
  }
  if (stars > 1) return "holds more than one '*'";
  return std::nullopt;
}

}  // namespace patchbay::rules
