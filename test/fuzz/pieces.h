#pragma once

#include <string_view>
#include <vector>

namespace patchbay::fuzz {

/// Separator of the chunks of an input, so that seeds are readable and editable.
inline constexpr std::string_view kBetweenPieces = "\n--\n";

/// The chunks of an input; never empty.
inline std::vector<std::string_view> pieces_of(std::string_view data) {
  std::vector<std::string_view> pieces;
  while (true) {
    const size_t end = data.find(kBetweenPieces);
    pieces.push_back(data.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    data.remove_prefix(end + kBetweenPieces.size());
  }
}

}  // namespace patchbay::fuzz
