#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/text.h"
#include "inventory/snapshot.h"

namespace patchbay::inventory {

/// The lengths of the common prefix and suffix of two lists. After one change among thousands of
/// units, only the middle needs a closer comparison.
struct CommonPrefixSuffix {
  size_t prefix = 0;  ///< Number of equal elements at the start.
  size_t suffix = 0;  ///< Number of equal elements at the end, without the prefix.
};

template <typename T>
[[nodiscard]] CommonPrefixSuffix common_prefix_suffix(std::span<const T> a, std::span<const T> b) {
  const auto first = static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  const auto rest_a = a.subspan(first);
  const auto rest_b = b.subspan(first);
  const auto last = std::mismatch(rest_a.rbegin(), rest_a.rend(), rest_b.rbegin(), rest_b.rend());
  return {first, static_cast<size_t>(last.first - rest_a.rbegin())};
}

/// Calls `each(was, now)` for each id whose unit object is not the same in both lists, in natural
/// order of ids. `was` or `now` is null if only the other list has the id.
template <typename Each>
void for_each_change(const UnitList& before, const UnitList& now, const Each& each) {
  auto was = before.begin();
  auto is = now.begin();
  while (was != before.end() || is != now.end()) {
    if (was != before.end() && is != now.end() && was.shared() == is.shared()) {
      ++was;
      ++is;
      continue;
    }
    const bool gone = is == now.end() || (was != before.end() && natural_less(was->id, is->id));
    const bool came = was == before.end() || (!gone && natural_less(is->id, was->id));
    each(came ? nullptr : &*was, gone ? nullptr : &*is);
    if (!came) ++was;
    if (!gone) ++is;
  }
}

}  // namespace patchbay::inventory
