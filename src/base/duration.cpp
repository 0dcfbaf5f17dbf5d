#include "base/duration.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/whole_number.h"

namespace patchbay {
namespace {

using std::chrono::milliseconds;

struct Unit {
  std::string_view name;
  milliseconds length;
};
/// Largest first, as written.
constexpr std::array kUnits = {Unit{"h", std::chrono::hours(1)}, Unit{"m", std::chrono::minutes(1)},
                               Unit{"s", std::chrono::seconds(1)}, Unit{"ms", milliseconds(1)}};

std::string_view take_while(std::string_view& text, std::string_view characters) {
  const size_t end = std::min(text.find_first_not_of(characters), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end);
  return taken;
}

}  // namespace

std::string duration_text(milliseconds duration) {
  if (duration % std::chrono::seconds(1) != milliseconds(0)) {
    return std::to_string(duration.count()) + "ms";
  }
  std::string text;
  for (const auto& [name, unit] : kUnits) {
    const auto count = duration / unit;
    if (count == 0) continue;
    text += std::to_string(count);
    text += name;
    duration -= count * unit;
  }
  return text.empty() ? "0s" : text;
}

std::optional<milliseconds> parse_duration(std::string_view text) {
  milliseconds total{};
  auto next_unit = kUnits.begin();
  do {
    const std::string_view digits = take_while(text, "0123456789");
    const std::string_view name = take_while(text, "hms");
    const auto unit = std::ranges::find(next_unit, kUnits.end(), name, &Unit::name);
    if (digits.empty() || unit == kUnits.end()) return std::nullopt;
    next_unit = unit + 1;
    const auto number = parse_whole<uint32_t>(digits);
    if (!number) return milliseconds::max();
    total += *number * unit->length;
  } while (!text.empty());
  return total;
}

std::string age_text(std::chrono::steady_clock::duration age) {
  const auto seconds =
      std::max(std::chrono::duration_cast<std::chrono::seconds>(age), std::chrono::seconds(0));
  constexpr std::array kAges = {Unit{"d", std::chrono::days(1)}, kUnits[0], kUnits[1]};
  for (const auto& [name, unit] : kAges) {
    if (seconds >= unit) return std::to_string(seconds / unit) + std::string(name);
  }
  return std::to_string(seconds.count()) + "s";
}

}  // namespace patchbay
