#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Numbers in values of devices and in bounds of conditions.
namespace patchbay::rules {

/// Holds every 64-bit integer exactly.
using Number = long double;

/// A whole text that is a number: decimal, with a sign and a fraction if need be, or 0x and hex
/// digits. Null for anything else.
[[nodiscard]] std::optional<Number> parse_number(std::string_view text);

/// The same, with one of k, M, G, Ki, Mi, Gi and Ti after it.
[[nodiscard]] std::optional<Number> parse_bound(std::string_view text);

/// A text that only this number has.
[[nodiscard]] std::string exact_text(Number number);

}  // namespace patchbay::rules
