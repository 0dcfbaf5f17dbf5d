#pragma once

#include <cstdint>

namespace patchbay::plugin {

/// Distinguishes one kubelet.sock from another. Inode numbers are reused after an unlink, so it
/// includes the inode's birth (or change) time.
struct SocketIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t time_ns = 0;
  friend bool operator==(const SocketIdentity&, const SocketIdentity&) = default;
};

}  // namespace patchbay::plugin
