#include "rules/match/size_range.h"

#include <fmt/format.h>

#include "base/whole_number.h"

namespace patchbay::rules {
namespace {

/// More devices than a machine can have.
constexpr size_t kMaxSize = 100'000;

std::optional<size_t> whole_number(std::string_view text) {
  const auto value = parse_whole<size_t>(text);
  return value && *value <= kMaxSize ? value : std::nullopt;
}

}  // namespace

std::optional<SizeRange> SizeRange::parse(std::string_view text) {
  const size_t dash = text.find('-');
  const bool open = text.ends_with('+');
  const auto min = whole_number(open ? text.substr(0, text.size() - 1) : text.substr(0, dash));
  if (!min) return std::nullopt;
  if (open) return SizeRange{*min, kNoLimit};
  const auto max = dash == std::string_view::npos ? min : whole_number(text.substr(dash + 1));
  if (!max || *max < *min || *max == 0) return std::nullopt;
  return SizeRange{*min, *max};
}

std::string SizeRange::to_text() const {
  if (max == kNoLimit) return fmt::format("{}+", min);
  return min == max ? fmt::format("{}", min) : fmt::format("{}-{}", min, max);
}

}  // namespace patchbay::rules
