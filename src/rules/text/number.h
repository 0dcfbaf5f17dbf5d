#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Parses numbers in values of devices and in bounds of conditions.
namespace patchbay::rules {

/// Represents every 64-bit integer exactly.
using Number = long double;

/// Parses a whole text as a number: decimal, with an optional sign and fraction, or 0x and hex
/// digits. Null for any other text.
[[nodiscard]] std::optional<Number> parse_number(std::string_view text);

/// Parses a number with an optional suffix k, M, G, Ki, Mi, Gi or Ti.
[[nodiscard]] std::optional<Number> parse_bound(std::string_view text);

/// Returns a text that differs for different numbers.
[[nodiscard]] std::string exact_text(Number number);

}  // namespace patchbay::rules
