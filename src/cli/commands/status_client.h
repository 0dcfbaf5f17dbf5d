#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "cli/options/options.h"

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

/// The body of the response to GET `target`. A status other than 200 is an Error with the daemon's
/// message. A timeout is an Error, too.
[[nodiscard]] Result<std::string> ask_daemon(const StatusAddress& address,
                                             const std::string& target);

/// Reads an endless stream of server-sent events. Calls `on_data` with the data of each event until
/// it returns false. Returns an Error if the stream cannot be opened or ends.
[[nodiscard]] Result<void> follow_daemon(const StatusAddress& address, const std::string& target,
                                         const std::function<bool(const std::string&)>& on_data);

}  // namespace patchbay::cli
