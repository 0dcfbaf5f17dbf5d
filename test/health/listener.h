#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/unique_fd.h"

namespace patchbay::health {

/// Listens on a loopback address until it is destroyed.
class Listener {
 public:
  struct Options {
    int backlog = 16;
    std::string host = "127.0.0.1";
    uint16_t port = 0;  ///< 0: any unused port.
  };

  Listener() : Listener(Options{}) {}
  explicit Listener(const Options& options)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    // With a given port, binds in spite of ended connections of earlier tests to that port.
    const int reuse = options.port == 0 ? 0 : 1;
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
    address_.sin_family = AF_INET;
    address_.sin_port = htons(options.port);
    ::inet_pton(AF_INET, options.host.c_str(), &address_.sin_addr);
    socklen_t size = sizeof address_;
    EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address_), size), 0);
    EXPECT_EQ(::listen(fd_.get(), options.backlog), 0);
    ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address_), &size);
  }
  [[nodiscard]] uint16_t port() const { return ntohs(address_.sin_port); }
  [[nodiscard]] int fd() const { return fd_.get(); }

  /// Begins a connection that nobody accepts.
  [[nodiscard]] UniqueFd connect() const {
    UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int connected =
        ::connect(client.get(), reinterpret_cast<const sockaddr*>(&address_), sizeof address_);
    EXPECT_TRUE(connected == 0 || errno == EINPROGRESS);
    return client;
  }

 private:
  UniqueFd fd_;
  sockaddr_in address_{};
};

}  // namespace patchbay::health
