#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace patchbay::serve {

/// Observes the bytes of a socket that a library uses: received bytes before the library gets them,
/// sent bytes after the kernel accepted them. Any thread, both directions concurrently. Must not
/// block.
class SocketTap {
 public:
  using Chunks = std::span<const std::span<const uint8_t>>;

  virtual ~SocketTap() = default;
  /// False: the library gets the end of the connection instead, now and at each later read.
  [[nodiscard]] virtual bool received(Chunks bytes) = 0;
  virtual void sent(Chunks bytes) = 0;
  /// The peer hung up, or the connection failed.
  virtual void ended() = 0;
};

/// Makes `tap` observe recvmsg() and sendmsg() of this process on `fd`, until untap_socket(). The
/// program defines these two functions itself, and passes calls on to the kernel; gRPC uses no
/// others. A reused descriptor stays tapped. Any thread; `fd` is below kMaxTappedDescriptor.
void tap_socket(int fd, std::shared_ptr<SocketTap> tap);
void untap_socket(int fd);

inline constexpr int kMaxTappedDescriptor = 8192;

}  // namespace patchbay::serve
