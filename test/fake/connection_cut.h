#pragma once

#include <cstddef>
#include <string>

namespace patchbay::fake {

/// Ways in which a connection ends without a close.
enum class Cut {
  at_once,
  within_a_frame,  ///< The peer has received the beginning of a frame.
};

/// Shuts down all Unix connections of this process whose own socket or peer's socket is in the
/// directory. gRPC is not asked, so this is as if the peer process ended. Returns the number of
/// connections.
size_t cut_connections(const std::string& directory, Cut cut);

}  // namespace patchbay::fake
