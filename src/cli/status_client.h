#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "cli/options.h"

/// Asks a daemon that runs, over its status socket or its HTTP address. Blocking.
namespace patchbay::cli {

/// Where a daemon answers.
struct StatusAddress {
  std::string socket;  ///< Path of its unix socket; empty: `host` and `port`.
  std::string host{};
  std::string port{};
};

/// Of "http://worker-1:9405".
[[nodiscard]] Result<StatusAddress> parse_status_url(const std::string& url);

/// Where a daemon of this user tells its status: /run/patchbay/status.sock of root, else below
/// $XDG_RUNTIME_DIR; empty if there is no such directory.
[[nodiscard]] std::string default_status_socket();

/// Whether some process listens there.
[[nodiscard]] bool has_listener(const StatusAddress& address);

/// Which daemon the options mean.
[[nodiscard]] Result<StatusAddress> address_of(const StatusClientOptions& options);

/// The body of what is answered to GET `target`. Any status but 200 is an Error, with what the
/// daemon says; and so is a daemon that does not answer in time.
[[nodiscard]] Result<std::string> ask_daemon(const StatusAddress& address,
                                             const std::string& target);

/// The same of a stream of server-sent events, which has no end: `on_data` gets the data of each
/// event, until it returns false. An Error: it cannot be had, or has ended.
[[nodiscard]] Result<void> follow_daemon(const StatusAddress& address, const std::string& target,
                                         const std::function<bool(const std::string&)>& on_data);

}  // namespace patchbay::cli
