#include "rpc/preface_queue.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

namespace patchbay::rpc {
namespace {

enum class FirstBytes { none, http2, other };

/// Peeks at the peer's first bytes; they stay in the socket for gRPC.
FirstBytes first_bytes(int fd) {
  std::array<char, kHttp2Preface.size()> bytes{};
  const ssize_t length = recv(fd, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
  if (length < 0) return errno == EAGAIN || errno == EINTR ? FirstBytes::none : FirstBytes::other;
  if (length == 0) return FirstBytes::other;
  const std::string_view text(bytes.data(), static_cast<size_t>(length));
  return kHttp2Preface.starts_with(text) ? FirstBytes::http2 : FirstBytes::other;
}

}  // namespace

void PrefaceQueue::add(UniqueFd connection) {
  switch (first_bytes(connection.get())) {
    case FirstBytes::http2:
      return on_ready_(std::move(connection));
    case FirstBytes::other:
      return;
    case FirstBytes::none:
      break;
  }
  if (entries_.size() == kCapacity) remove(entries_.front().number);
  const uint64_t number = ++added_;
  Entry& entry = entries_.emplace_back(Entry{.fd = std::move(connection), .number = number});
  entry.readable =
      loop_.watch_readable(entry.fd.get(), [this, number](loop::FdEvent) { on_readable(number); });
  entry.timeout = loop_.after(kTimeout, [this, number] { remove(number); });
}

void PrefaceQueue::on_readable(uint64_t number) {
  const auto entry = std::ranges::find(entries_, number, &Entry::number);
  const auto bytes = first_bytes(entry->fd.get());
  if (bytes == FirstBytes::none) return;
  entry->readable.reset();
  UniqueFd connection = std::move(entry->fd);
  entries_.erase(entry);
  if (bytes == FirstBytes::http2) on_ready_(std::move(connection));
}

void PrefaceQueue::remove(uint64_t number) {
  const auto entry = std::ranges::find(entries_, number, &Entry::number);
  entry->readable.reset();
  entries_.erase(entry);
}

}  // namespace patchbay::rpc
