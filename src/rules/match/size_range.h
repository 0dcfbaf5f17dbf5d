#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace patchbay::rules {

/// The allowed number of devices of one role in a unit. The default is one or more.
struct SizeRange {
  static constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

  size_t min = 1;
  size_t max = kNoLimit;

  /// Parses "2", "0-4" or "1+". Null for any other text.
  [[nodiscard]] static std::optional<SizeRange> parse(std::string_view text);
  [[nodiscard]] std::string to_text() const;
  friend bool operator==(const SizeRange&, const SizeRange&) = default;
};

}  // namespace patchbay::rules
