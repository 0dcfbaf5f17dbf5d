#include "fake/http2_peer.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "fake/patience.h"

namespace patchbay::fake {
namespace {

enum class Http2Type : uint8_t {
  data = 0,
  headers = 1,
  reset = 3,
  settings = 4,
  window_update = 8,
};
constexpr uint8_t kEndStream = 1;
constexpr uint8_t kAcknowledgement = 1;  // A flag of a settings frame.
constexpr uint8_t kEndHeaders = 4;
constexpr size_t kHead = 9;
constexpr size_t kLongestFrame = 16384;
constexpr uint16_t kInitialWindow = 4;  // Number of a setting.
constexpr std::chrono::milliseconds kMoment{200};

std::string big_endian(uint64_t number, size_t bytes) {
  std::string text;
  for (size_t i = bytes; i-- > 0;) text += static_cast<char>(number >> (8 * i) & 0xffU);
  return text;
}

uint32_t number_at(std::string_view bytes, size_t first, size_t count) {
  uint32_t number = 0;
  for (const char byte : bytes.substr(first, count)) {
    number = number << 8U | static_cast<uint8_t>(byte);
  }
  return number;
}

std::string http2_frame(Http2Type type, uint8_t flags, uint32_t stream, std::string_view payload) {
  std::string text = big_endian(payload.size(), 3);
  text += static_cast<char>(type);
  text += static_cast<char>(flags);
  return text + big_endian(stream, 4) + std::string(payload);
}

/// A header field that HPACK does not store: `index` of its name in the static table, or 0.
std::string header(uint8_t index, const std::string& name, const std::string& value) {
  std::string text;
  if (index >= 15) {
    text = {'\x0f', static_cast<char>(index - 15)};
  } else {
    text = {static_cast<char>(index)};
  }
  if (index == 0) text += static_cast<char>(name.size()) + name;
  return text + static_cast<char>(value.size()) + value;
}

}  // namespace

std::string open_call(uint32_t stream, const std::string& method) {
  std::string block = "\x83\x86";  // POST, http
  block += header(4, "", "/v1beta1.DevicePlugin/" + method);
  block += header(1, "", "localhost");
  block += header(31, "", "application/grpc");
  block += header(0, "te", "trailers");
  return http2_frame(Http2Type::headers, kEndHeaders, stream, block);
}

std::string message_head(size_t length) { return std::string(1, '\0') + big_endian(length, 4); }

Http2Peer::Http2Peer(const std::string& socket, bool silent)
    : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket.c_str(), sizeof address.sun_path - 1);
  // connect() waits while the peer's backlog is full.
  if (!fd_ || connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot connect to " + socket);
  }
  if (silent) return;
  send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + http2_frame(Http2Type::settings, 0, 0, ""));
}

bool Http2Peer::wait_for(short events, std::chrono::milliseconds patience) const {
  pollfd polled{.fd = fd_.get(), .events = events, .revents = 0};
  return poll(&polled, 1, static_cast<int>(patience.count())) > 0;
}

bool Http2Peer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno != EAGAIN || !wait_for(POLLOUT)) {
      return false;
    }
  }
  return true;
}

bool Http2Peer::read_away() {
  std::array<char, 65536> bytes{};
  ssize_t length = 0;
  while ((length = recv(fd_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT)) > 0) {
    unread_.append(bytes.data(), static_cast<size_t>(length));
    read_frames();
  }
  return length < 0 && errno == EAGAIN;
}

void Http2Peer::read_frames() {
  std::string_view bytes = unread_;
  while (bytes.size() >= kHead && bytes.size() >= kHead + number_at(bytes, 0, 3)) {
    const auto payload = bytes.substr(kHead, number_at(bytes, 0, 3));
    const auto type = static_cast<Http2Type>(bytes[3]);
    const uint32_t stream = number_at(bytes, 5, 4);
    const bool ends = (bytes[4] & kEndStream) != 0 && type == Http2Type::headers;
    if (ends || type == Http2Type::reset) ended_.insert(stream);
    if (type == Http2Type::window_update) {
      (stream == 0 ? window_ : windows_[stream]) += number_at(payload, 0, 4);
    } else if (type == Http2Type::settings && (bytes[4] & kAcknowledgement) == 0) {
      for (size_t at = 0; at + 6 <= payload.size(); at += 6) {
        if (number_at(payload, at, 2) == kInitialWindow)
          first_window_ = number_at(payload, at + 2, 4);
      }
      // Until gRPC gets this frame, it treats data beyond the old window as an error.
      send(http2_frame(Http2Type::settings, kAcknowledgement, 0, ""));
    }
    bytes.remove_prefix(kHead + payload.size());
  }
  unread_ = bytes;
}

bool Http2Peer::send_data(uint32_t stream, std::string_view bytes, bool end) {
  do {
    if (!read_away()) return false;
    const int64_t window = std::min(window_, first_window_ + windows_[stream]);
    const auto length = static_cast<size_t>(std::clamp<int64_t>(
        window, 0, static_cast<int64_t>(std::min(bytes.size(), kLongestFrame))));
    if (length == 0 && !bytes.empty()) {
      if (ended_.contains(stream) || !wait_for(POLLIN, kMoment)) return true;
      continue;
    }
    const bool last = length == bytes.size();
    if (!send(http2_frame(Http2Type::data, last && end ? kEndStream : 0, stream,
                          bytes.substr(0, length)))) {
      return false;
    }
    window_ -= static_cast<int64_t>(length);
    windows_[stream] -= static_cast<int64_t>(length);
    bytes.remove_prefix(length);
  } while (!bytes.empty());
  return true;
}

}  // namespace patchbay::fake
