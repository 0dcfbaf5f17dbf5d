#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/unique_fd.h"
#include "fake/patience.h"

namespace patchbay::fake {

/// An HTTP client that can violate the protocol.
class HttpClient {
 public:
  explicit HttpClient(const std::string& socket_path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, socket_path.c_str(), sizeof address.sun_path - 1);
    connect_to(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  explicit HttpClient(uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connect_to(AF_INET, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }

  [[nodiscard]] bool connected() const { return connected_; }

  bool send(const std::string& text) const {
    return ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(text.size());
  }

  /// Sends as much as possible without waiting. Returns false if the peer accepts no data.
  bool send_some(const std::string& text) const {
    return ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
  }

  /// Ends sending; reading remains possible.
  void end() const { ::shutdown(fd_.get(), SHUT_WR); }

  /// Reads until the peer closes the connection. Returns all text that read_line() and read_until()
  /// did not consume.
  std::string read_all() {
    while (read_some()) {
    }
    return std::move(text_);
  }

  /// Reads the next line and returns it without its end; empty if no whole line arrives.
  std::string read_line() {
    while (!text_.contains('\n')) {
      if (!read_some()) return "";
    }
    const size_t end = text_.find('\n');
    std::string line = text_.substr(0, end);
    text_.erase(0, end + 1);
    return line;
  }

  /// Reads until this text, and consumes it. Returns false if it does not arrive.
  bool read_until(const std::string& wanted) {
    for (;;) {
      const size_t at = text_.find(wanted);
      if (at != std::string::npos) {
        text_.erase(0, at + wanted.size());
        return true;
      }
      if (!read_some()) return false;
    }
  }

 private:
  void connect_to(int family, const sockaddr* address, socklen_t size) {
    fd_ = UniqueFd(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    connected_ = connect(fd_.get(), address, size) == 0;
  }

  bool read_some() {
    pollfd watched{.fd = fd_.get(), .events = POLLIN, .revents = 0};
    if (poll(&watched, 1, static_cast<int>(kPatience.count())) <= 0) return false;
    std::array<char, 65536> piece{};
    const ssize_t got = recv(fd_.get(), piece.data(), piece.size(), 0);
    if (got <= 0) return false;
    text_.append(piece.data(), static_cast<size_t>(got));
    return true;
  }

  UniqueFd fd_;
  bool connected_ = false;
  std::string text_;
};

/// A TCP port of this machine that no socket uses.
inline uint16_t free_port() {
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const bool bound = bind(fd.get(), any, size) == 0 && getsockname(fd.get(), any, &size) == 0;
  return bound ? ntohs(address.sin_port) : 0;
}

/// The complete answer to GET `target`: head, empty line, and body.
template <typename Where>
std::string http_get(const Where& where, const std::string& target,
                     const std::string& headers = "") {
  HttpClient client(where);
  client.send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + headers +
              "\r\n");
  return client.read_all();
}

/// The body of an answer with status 200. For other answers "!! " and the whole answer.
template <typename Where>
std::string http_body(const Where& where, const std::string& target) {
  const std::string answer = http_get(where, target);
  const size_t end = answer.find("\r\n\r\n");
  if (!answer.starts_with("HTTP/1.1 200 ") || end == std::string::npos) return "!! " + answer;
  return answer.substr(end + 4);
}

}  // namespace patchbay::fake
