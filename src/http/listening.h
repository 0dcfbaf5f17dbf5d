#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

/// Creates listening sockets for the HTTP server. All are non-blocking and close-on-exec.
namespace patchbay::http {

/// Listens on a unix socket that only its owner may use, from its creation on. Creates its
/// directory if needed. Removes a stale socket at that path. If another process listens there,
/// returns an Error for which is_socket_in_use() is true.
[[nodiscard]] Result<UniqueFd> listen_unix(const std::string& path);
[[nodiscard]] bool is_socket_in_use(const Error& error);

/// A TCP address and port.
struct TcpAddress {
  std::string host;  ///< "127.0.0.1", "::1"; empty: all addresses.
  uint16_t port = 0;
};
/// Parses "127.0.0.1:9405", "[::1]:9405" or ":9405".
[[nodiscard]] Result<TcpAddress> parse_tcp_address(const std::string& text);
[[nodiscard]] Result<UniqueFd> listen_tcp(const TcpAddress& address);
/// Whether the text is a loopback address, in any notation: "127.0.0.1", "::1", "0:0:0:0:0:0:0:1",
/// "::ffff:127.0.0.1".
[[nodiscard]] bool is_loopback_address(const std::string& host);

}  // namespace patchbay::http
