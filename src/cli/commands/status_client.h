#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/options/options.h"
#include "loop/event_loop.h"

/// Requests data from a running daemon over its status socket or its HTTP address. Blocks.
namespace patchbay::cli {

/// The address of a daemon.
struct StatusAddress {
  std::string socket;  ///< Path of the status socket; empty: `host` and `port` are used.
  std::string host{};
  std::string port{};
};

/// Parses a URL such as "http://worker-1:9405".
[[nodiscard]] Result<StatusAddress> parse_status_url(const std::string& url);

/// Returns the path of the default status socket: /run/patchbay/status.sock for root, otherwise
/// patchbay/status.sock below $XDG_RUNTIME_DIR. Empty if that variable is not set.
[[nodiscard]] std::string default_status_socket();

/// Whether a process listens at the address.
[[nodiscard]] bool has_listener(const StatusAddress& address);

/// Returns the address of the daemon that the options select.
[[nodiscard]] Result<StatusAddress> address_of(const StatusClientOptions& options);

/// The maximum size of a status. The status of a node with 43 690 units is smaller.
inline constexpr size_t kMaxStatusBytes = size_t{128} << 20U;
/// The maximum size of a list of events. The list of all events of a daemon is smaller.
inline constexpr size_t kMaxEventsBytes = size_t{8} << 20U;

/// Sends GET `target` to the daemon, and returns the body of the response. A status other than 200
/// is an Error with the daemon's message. A timeout and a longer response are Errors, too.
[[nodiscard]] Result<std::string> ask_daemon(const StatusAddress& address,
                                             const std::string& target,
                                             size_t max_bytes = kMaxStatusBytes);

/// Runs the loop for --watch. It calls `ask` at once, and then every two seconds until it returns
/// an exit code. Returns this code, or 0 when the client has ended: see watch_client().
[[nodiscard]] int poll_daemon(loop::UvLoop& loop, const std::function<std::optional<int>()>& ask);

}  // namespace patchbay::cli
