#include "serve/waiting_room.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "serve/http2_preface.h"

namespace patchbay::serve {
namespace {

enum class FirstBytes { none, http2, other };

/// What the peer has sent, which stays for gRPC to read.
FirstBytes first_bytes(int fd) {
  std::array<char, kHttp2Preface.size()> bytes{};
  const ssize_t length = recv(fd, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
  if (length < 0) return errno == EAGAIN || errno == EINTR ? FirstBytes::none : FirstBytes::other;
  if (length == 0) return FirstBytes::other;
  const std::string_view text(bytes.data(), static_cast<size_t>(length));
  return kHttp2Preface.starts_with(text) ? FirstBytes::http2 : FirstBytes::other;
}

}  // namespace

void WaitingRoom::enter(UniqueFd connection) {
  switch (first_bytes(connection.get())) {
    case FirstBytes::http2:
      return on_ready_(std::move(connection));
    case FirstBytes::other:
      return;
    case FirstBytes::none:
      break;
  }
  if (guests_.size() == kSeats) leave(guests_.front().number);
  const uint64_t number = ++entered_;
  Guest& guest = guests_.emplace_back(Guest{.fd = std::move(connection), .number = number});
  guest.speaking =
      loop_.watch_readable(guest.fd.get(), [this, number](loop::FdEvent) { look(number); });
  guest.patience = loop_.after(kPatience, [this, number] { leave(number); });
}

void WaitingRoom::look(uint64_t number) {
  const auto guest = std::ranges::find(guests_, number, &Guest::number);
  const auto bytes = first_bytes(guest->fd.get());
  if (bytes == FirstBytes::none) return;
  guest->speaking.reset();
  UniqueFd connection = std::move(guest->fd);
  guests_.erase(guest);
  if (bytes == FirstBytes::http2) on_ready_(std::move(connection));
}

void WaitingRoom::leave(uint64_t number) {
  const auto guest = std::ranges::find(guests_, number, &Guest::number);
  guest->speaking.reset();
  guests_.erase(guest);
}

}  // namespace patchbay::serve
