#include "serve/socket_tap.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace patchbay::serve {
namespace {

/// The registry of all taps. Never destroyed: gRPC's threads may outlive static objects.
class Taps {
 public:
  std::shared_ptr<SocketTap> find(int fd) {
    // Most descriptors have no tap: this check is cheap.
    if (fd < 0 || fd >= kMaxTappedDescriptor || !tapped_[static_cast<size_t>(fd)]) return nullptr;
    const std::lock_guard lock(mutex_);
    const auto it = by_fd_.find(fd);
    return it == by_fd_.end() ? nullptr : it->second;
  }

  void set(int fd, std::shared_ptr<SocketTap> tap) {
    assert(fd >= 0 && fd < kMaxTappedDescriptor);
    const std::lock_guard lock(mutex_);
    tapped_[static_cast<size_t>(fd)] = tap != nullptr;
    // The previous tap is destroyed by the caller, without the lock.
    if (tap) {
      std::swap(by_fd_[fd], tap);
    } else {
      by_fd_.erase(fd);
    }
  }

 private:
  std::array<std::atomic<bool>, kMaxTappedDescriptor> tapped_{};
  std::mutex mutex_;
  std::unordered_map<int, std::shared_ptr<SocketTap>> by_fd_;  // Guarded by mutex_.
};

Taps& taps() {
  static auto* the_taps = new Taps;
  return *the_taps;
}

/// The first `length` bytes of a message, in place.
std::vector<std::span<const uint8_t>> chunks_of(const msghdr& message, size_t length) {
  std::vector<std::span<const uint8_t>> pieces;
  for (size_t i = 0; i < message.msg_iovlen && length > 0; ++i) {
    const iovec& piece = message.msg_iov[i];
    const size_t taken = std::min(piece.iov_len, length);
    pieces.emplace_back(static_cast<const uint8_t*>(piece.iov_base), taken);
    length -= taken;
  }
  return pieces;
}

ssize_t ask_kernel_to_receive(int fd, msghdr* message, int flags) {
  return syscall(SYS_recvmsg, fd, message, flags);
}

ssize_t ask_kernel_to_send(int fd, const msghdr* message, int flags) {
  return syscall(SYS_sendmsg, fd, message, flags);
}

}  // namespace

void tap_socket(int fd, std::shared_ptr<SocketTap> tap) { taps().set(fd, std::move(tap)); }
void untap_socket(int fd) { taps().set(fd, nullptr); }

}  // namespace patchbay::serve

// These replace two functions of the C library by name, for the program and for its shared
// libraries.
extern "C" ssize_t recvmsg(int fd, msghdr* message, int flags) {
  using namespace patchbay::serve;
  const ssize_t length = ask_kernel_to_receive(fd, message, flags);
  const int error = length < 0 ? errno : 0;
  if (error == EAGAIN || error == EINTR || (flags & (MSG_PEEK | MSG_ERRQUEUE)) != 0) return length;
  const auto tap = taps().find(fd);
  if (!tap) return length;
  if (length > 0) {
    return tap->received(chunks_of(*message, static_cast<size_t>(length))) ? length : 0;
  }
  tap->ended();
  errno = error;
  return length;
}

extern "C" ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  using namespace patchbay::serve;
  const ssize_t length = ask_kernel_to_send(fd, message, flags);
  if (length <= 0) return length;
  if (const auto tap = taps().find(fd)) {
    tap->sent(chunks_of(*message, static_cast<size_t>(length)));
  }
  return length;
}
