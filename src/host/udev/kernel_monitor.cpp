#include "host/udev/kernel_monitor.h"

#include <linux/netlink.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>
#include <string_view>

namespace patchbay::host {
namespace {

/// The kernel's multicast group, beside udev's; see udev_monitor_new_from_netlink(3).
constexpr uint32_t kKernelGroup = 1;
/// The kernel's own bound is 2 KiB for the lines, and a path before them.
constexpr size_t kMessageBytes = 8192;

using Message = std::array<char, kMessageBytes>;

/// Whether the kernel or a process of root sent it. In our own user namespace other processes could
/// send one.
bool is_of_root(const msghdr& header) {
  const cmsghdr* const control = CMSG_FIRSTHDR(&header);
  if (control == nullptr || control->cmsg_type != SCM_CREDENTIALS) return false;
  ucred sender{};
  std::memcpy(&sender, CMSG_DATA(control), sizeof sender);
  return sender.uid == 0;
}

/// The next message. Empty: not from the kernel. Null: errno has the reason; a message that is too
/// long counts as lost.
std::optional<std::string_view> next(const UniqueFd& socket, Message& message) {
  sockaddr_nl sender{};
  iovec buffer{.iov_base = message.data(), .iov_len = message.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
  msghdr header{};
  header.msg_name = &sender;
  header.msg_namelen = sizeof sender;
  header.msg_iov = &buffer;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const ssize_t size = ::recvmsg(socket.get(), &header, MSG_DONTWAIT);
  if (size < 0) return std::nullopt;
  if (sender.nl_pid != 0 || sender.nl_groups != kKernelGroup || !is_of_root(header)) {
    return std::string_view();
  }
  if ((header.msg_flags & MSG_TRUNC) != 0) {
    errno = ENOBUFS;
    return std::nullopt;
  }
  return std::string_view(message.data(), static_cast<size_t>(size));
}

}  // namespace

Result<std::unique_ptr<KernelMonitor>> KernelMonitor::open(loop::EventLoop& loop,
                                                           size_t receive_buffer_bytes,
                                                           Callbacks callbacks) {
  const auto failed = [] { return fail_errno("cannot open the kernel netlink group", errno); };
  UniqueFd socket(
      ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT));
  if (!socket) return failed();
  // The kernel may grant less: see receive_buffer_bytes().
  const int size =
      receive_buffer_bytes > INT_MAX ? INT_MAX : static_cast<int>(receive_buffer_bytes);
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0) {
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  }
  const int on = 1;
  sockaddr_nl group{};
  group.nl_family = AF_NETLINK;
  group.nl_groups = kKernelGroup;
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0 ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&group), sizeof group) != 0) {
    return failed();
  }
  return std::unique_ptr<KernelMonitor>(
      new KernelMonitor(loop, std::move(socket), std::move(callbacks)));
}

KernelMonitor::KernelMonitor(loop::EventLoop& loop, UniqueFd socket, Callbacks callbacks)
    : socket_(std::move(socket)), callbacks_(std::move(callbacks)) {
  reading_ = loop.watch_readable(
      socket_.get(), [this](loop::FdEvent event) { receive(event == loop::FdEvent::error); });
}

size_t KernelMonitor::receive_buffer_bytes() const {
  int size = 0;
  socklen_t length = sizeof size;
  ::getsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &size, &length);
  return static_cast<size_t>(size) / 2;  // The kernel doubles the requested size for its own use.
}

void KernelMonitor::receive(bool lost_events) {
  Message message;
  for (int i = 0; i < kEventsPerIteration; ++i) {
    const auto text = next(socket_, message);
    if (!text && errno == ENOBUFS) lost_events = true;
    if (!text && errno == EAGAIN) break;
    if (!text) continue;
    if (const auto event = parse_uevent(*text)) callbacks_.on_event(*event);
  }
  if (lost_events) callbacks_.on_overflow();
}

}  // namespace patchbay::host
