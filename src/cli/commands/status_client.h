#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/options/options.h"
#include "loop/event_loop.h"

/// Requests data from a running daemon over its status socket or its HTTP address. Blocking.
namespace patchbay::cli {

/// The address of a daemon.
struct StatusAddress {
  std::string socket;  ///< Path of its Unix socket; empty: `host` and `port` are used.
  std::string host{};
  std::string port{};
};

/// Parses "http://worker-1:9405".
[[nodiscard]] Result<StatusAddress> parse_status_url(const std::string& url);

/// The default status socket of a daemon of this user: /run/patchbay/status.sock for root,
/// otherwise below $XDG_RUNTIME_DIR; empty if that is not set.
[[nodiscard]] std::string default_status_socket();

/// Whether a process listens there.
[[nodiscard]] bool has_listener(const StatusAddress& address);

/// The daemon that the options select.
[[nodiscard]] Result<StatusAddress> address_of(const StatusClientOptions& options);

/// More than the status of a node with 43 690 units, and more than all events.
inline constexpr size_t kMaxStatusBytes = size_t{128} << 20U;
inline constexpr size_t kMaxEventsBytes = size_t{8} << 20U;

/// The body of the response to GET `target`. A status other than 200 is an Error with the daemon's
/// message. A timeout is an Error, too, and a response of more than `max_bytes`.
[[nodiscard]] Result<std::string> ask_daemon(const StatusAddress& address,
                                             const std::string& target,
                                             size_t max_bytes = kMaxStatusBytes);

/// For --watch: calls `ask` now and then every two seconds until it returns an exit code. Returns
/// that, or 0 when the client has ended: see watch_client().
[[nodiscard]] int poll_daemon(loop::UvLoop& loop, const std::function<std::optional<int>()>& ask);

}  // namespace patchbay::cli
