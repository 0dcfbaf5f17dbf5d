#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

/// Sockets to serve HTTP on. All are non-blocking, and no program that is started inherits them.
namespace patchbay::http {

/// A unix socket that only its owner may use, from the first moment on; its directory is made if it
/// is not there. What was left behind under its name goes; one on which somebody listens stays, and
/// is an Error that is_socket_in_use() tells.
[[nodiscard]] Result<UniqueFd> listen_unix(const std::string& path);
[[nodiscard]] bool is_socket_in_use(const Error& error);

/// An address and a port of TCP.
struct TcpAddress {
  std::string host;  ///< "127.0.0.1", "::1"; empty: every address.
  uint16_t port = 0;
};
/// Of "127.0.0.1:9405", "[::1]:9405", ":9405".
[[nodiscard]] Result<TcpAddress> parse_tcp_address(const std::string& text);
[[nodiscard]] Result<UniqueFd> listen_tcp(const TcpAddress& address);
/// Whether the text is an address that only this machine can reach, in any of its spellings:
/// "127.0.0.1", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1".
[[nodiscard]] bool is_loopback_address(const std::string& host);

}  // namespace patchbay::http
