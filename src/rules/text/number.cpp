#include "rules/text/number.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>

#include "base/text.h"
#include "base/whole_number.h"

namespace patchbay::rules {
namespace {

struct NumberUnit {
  std::string_view name;
  Number factor;
};
constexpr std::array kUnits = {
    NumberUnit{"Ki", 1024.0L},
    NumberUnit{"Mi", 1024.0L * 1024},
    NumberUnit{"Gi", 1024.0L * 1024 * 1024},
    NumberUnit{"Ti", 1024.0L * 1024 * 1024 * 1024},
    NumberUnit{"k", 1e3L},
    NumberUnit{"M", 1e6L},
    NumberUnit{"G", 1e9L},
};

std::optional<Number> parse_hex(std::string_view digits) {
  const auto number = parse_whole<uint64_t>(digits, 16);
  return number ? std::optional(static_cast<Number>(*number)) : std::nullopt;
}

/// Digits, with an optional fraction. from_chars would also accept exponents and words.
bool is_decimal(std::string_view text) {
  const size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  if (whole.empty() || whole.find_first_not_of(kDigits) != std::string_view::npos) return false;
  if (point == std::string_view::npos) return true;
  const std::string_view fraction = text.substr(point + 1);
  return !fraction.empty() && fraction.find_first_not_of(kDigits) == std::string_view::npos;
}

}  // namespace

std::optional<Number> parse_number(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return parse_hex(text.substr(2));
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (!is_decimal(text)) return std::nullopt;
  Number number = 0;
  const auto parsed = std::from_chars(text.begin(), text.end(), number);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return negative ? -number : number;
}

std::optional<Number> parse_bound(std::string_view text) {
  for (const NumberUnit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    const auto number = parse_number(text.substr(0, text.size() - unit.name.size()));
    return number ? std::optional(*number * unit.factor) : std::nullopt;
  }
  return parse_number(text);
}

std::string exact_text(Number number) {
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), "%La", number);
  return {text.data(), static_cast<size_t>(length)};
}

}  // namespace patchbay::rules
