#pragma once

#include <cstddef>
#include <string>

namespace patchbay::fake {

/// How connections end that nobody closes.
enum class Cut {
  at_once,
  within_a_frame,  ///< The peer has the beginning of one.
};

/// Ends the connections of this process by Unix sockets in the directory, or to them, below whoever
/// drives them, as when the other process ends. How many.
size_t cut_connections(const std::string& directory, Cut cut);

}  // namespace patchbay::fake
