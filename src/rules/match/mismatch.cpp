#include "rules/match/mismatch.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::rules {
namespace {

constexpr size_t kMaxValuesShown = 8;  ///< Limit for facts with several values (devlinks, tags).

}  // namespace

std::string actual_values(std::string_view what, std::span<const std::string_view> values) {
  std::vector<std::string> shown;
  for (const std::string_view value : values) {
    shown.push_back(fmt::format("\"{}\"", printable(value)));
  }
  if (shown.empty()) return fmt::format("{} is absent", what);
  if (shown.size() == 1) return fmt::format("{} is {}", what, shown.front());
  if (shown.size() > kMaxValuesShown) {
    shown.resize(kMaxValuesShown);
    shown.emplace_back("…");
  }
  return fmt::format("{} is {}", what, join(shown, " and "));
}

Mismatch combine(const config::Position& at, std::string block, std::vector<Mismatch> failed) {
  if (failed.size() == 1) return std::move(failed.front());
  return {at, std::move(block), "the block does not match", std::move(failed)};
}

std::string summary(std::span<const Mismatch> mismatches) {
  std::vector<std::string> texts;
  for (const Mismatch& mismatch : mismatches) {
    texts.push_back(mismatch.nested.empty()
                        ? mismatch.actual
                        : fmt::format("{} ({})", mismatch.actual, summary(mismatch.nested)));
  }
  return join(texts, ", ");
}

}  // namespace patchbay::rules
