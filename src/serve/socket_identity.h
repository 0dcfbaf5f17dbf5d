#pragma once

#include <cstdint>

namespace patchbay::serve {

/// Tells one kubelet.sock from another: inode numbers come back after an unlink, so the time of the
/// inode's birth (or change) belongs to it.
struct SocketIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t time_ns = 0;
  friend bool operator==(const SocketIdentity&, const SocketIdentity&) = default;
};

}  // namespace patchbay::serve
