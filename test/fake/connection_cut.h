#pragma once

#include <cstddef>
#include <string>

namespace patchbay::fake {

/// Ways in which a connection ends without a close.
enum class Cut {
  at_once,
  within_a_frame,  ///< The peer has received the beginning of a frame.
};

/// Ends this process's Unix connections by sockets in the directory, or to them, below the level of
/// their users, as when the peer process ends. Returns their number.
size_t cut_connections(const std::string& directory, Cut cut);

}  // namespace patchbay::fake
