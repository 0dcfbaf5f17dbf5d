#include "rules/count.h"

#include <fmt/format.h>

#include "base/whole_number.h"

namespace patchbay::rules {
namespace {

/// More devices than any machine has.
constexpr size_t kMost = 100'000;

std::optional<size_t> whole_number(std::string_view text) {
  const auto value = parse_whole<size_t>(text);
  return value && *value <= kMost ? value : std::nullopt;
}

}  // namespace

std::optional<Count> Count::parse(std::string_view text) {
  const size_t dash = text.find('-');
  const bool open = text.ends_with('+');
  const auto least = whole_number(open ? text.substr(0, text.size() - 1) : text.substr(0, dash));
  if (!least) return std::nullopt;
  if (open) return Count{*least, kNoLimit};
  const auto most = dash == std::string_view::npos ? least : whole_number(text.substr(dash + 1));
  if (!most || *most < *least || *most == 0) return std::nullopt;
  return Count{*least, *most};
}

std::string Count::to_text() const {
  if (most == kNoLimit) return fmt::format("{}+", least);
  return least == most ? fmt::format("{}", least) : fmt::format("{}-{}", least, most);
}

}  // namespace patchbay::rules
