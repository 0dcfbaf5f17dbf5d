#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace patchbay::serve {

/// Sees what passes through a socket that a library drives: what comes before the library does, and
/// what goes as soon as the kernel has taken it. Any thread, the two directions at the same time,
/// too. Must not block.
class SocketTap {
 public:
  using Chunks = std::span<const std::span<const uint8_t>>;

  virtual ~SocketTap() = default;
  /// False: the library is to see the end of the connection instead, now and at each later look.
  [[nodiscard]] virtual bool received(Chunks bytes) = 0;
  virtual void sent(Chunks bytes) = 0;
  /// Nothing more comes: the peer has hung up, or the connection has failed.
  virtual void ended() = 0;
};

/// From now on `tap` sees what recvmsg() and sendmsg() of this process do with `fd`. The program
/// has definitions of its own of these two, which pass on to the kernel; gRPC uses no others. It
/// holds until untap(), whatever `fd` is by then. Any thread; numbers below kMaxTappedDescriptor.
void tap_socket(int fd, std::shared_ptr<SocketTap> tap);
void untap_socket(int fd);

inline constexpr int kMaxTappedDescriptor = 8192;

}  // namespace patchbay::serve
