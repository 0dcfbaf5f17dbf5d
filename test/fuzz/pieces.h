#pragma once

#include <string_view>
#include <vector>

namespace patchbay::fuzz {

/// What stands between two pieces of an input, so that seeds can be written and read.
inline constexpr std::string_view kBetweenPieces = "\n--\n";

/// The pieces of an input; never none.
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
