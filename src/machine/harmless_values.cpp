#include "machine/harmless_values.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"
#include "base/text.h"
#include "machine/embedded_harmless.h"

namespace patchbay::machine {
namespace {

/// Parts of names whose values are identifiers, whatever their form.
constexpr auto kIdentifiers = std::to_array<std::string_view>(
    {"asset_tag", "dm/name", "guid", "hwaddr", "ieee1284", "serial", "uniq", "uuid", "wwid"});
constexpr ptrdiff_t kMostDigits = 5;  ///< Longer numbers can be serial numbers.

bool is_short_number(std::string_view value) {
  const auto is_part = [](char c) { return is_digit(c) || c == '.' || c == '-' || c == ' '; };
  // An address such as 10.0.0.1 is none.
  return std::ranges::all_of(value, is_part) && std::ranges::count(value, '.') <= 1 &&
         std::ranges::count_if(value, is_digit) <= kMostDigits;
}

bool is_listed(std::string_view kind, std::string_view name) {
  static const auto lines = split(kHarmless, '\n');
  return std::ranges::any_of(lines, [&](std::string_view line) {
    if (!line.starts_with(kind)) return false;
    line.remove_prefix(kind.size() + 1);
    return line.ends_with('*') ? name.starts_with(line.substr(0, line.size() - 1)) : name == line;
  });
}

}  // namespace

bool names_identifier(std::string_view name) {
  const std::string lower = lower_case(std::string(name));
  return std::ranges::any_of(kIdentifiers, [&](auto part) { return lower.contains(part); });
}

bool is_harmless(std::string_view kind, std::string_view name, std::string_view value) {
  if (names_identifier(name)) return false;
  return is_short_number(value) || is_listed(kind, name) || is_listed(kind, base_name(name));
}

}  // namespace patchbay::machine
