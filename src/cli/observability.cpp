#include "cli/observability.h"

#include <utility>

#include "base/log.h"
#include "cli/commands/status_client.h"
#include "cli/terminal/table.h"
#include "status/journal.h"

namespace patchbay::cli {
namespace {

/// Never destroyed, like the log.
status::Journal& journal() {
  static auto* const kept = new status::Journal;
  return *kept;
}

/// Empty: disabled.
std::string status_socket_of(const RunOptions& options) {
  if (options.status_socket == kNoSocket) return {};
  return options.status_socket.empty() ? default_status_socket() : options.status_socket;
}

}  // namespace

std::string status_hint(const RunOptions& options) {
  if (options.status_socket == kNoSocket) return {};
  const std::string path = status_socket_of(options);
  if (path.empty()) {
    return "status socket: none ($XDG_RUNTIME_DIR is not set); start with --status-socket PATH\n";
  }
  if (has_listener({.socket = path})) {
    return "status socket " + shown(path) +
           ": in use by another instance, which `patchbay status` shows; start this one with "
           "--status-socket PATH\n";
  }
  const std::string option = options.status_socket.empty() ? "" : " --status-socket " + shown(path);
  return "in another terminal: patchbay status" + option + "\n";
}

void start_journal() {
  log::listen([&kept = journal()](const log::Entry& entry, auto at) { kept.record(entry, at); });
}

Result<std::unique_ptr<http::Endpoints>> start_endpoints(const RunOptions& options,
                                                         status::StatusSource& source,
                                                         const status::Counters& counters) {
  auto endpoints = http::Endpoints::start(
      source, journal(), counters,
      {.page_on_network = options.page, .metrics_per_unit = options.metrics_per_unit});
  if (!options.listen.empty()) {
    const auto address = http::parse_tcp_address(options.listen);
    if (!address) return std::unexpected(address.error());
    endpoints->serve_tcp(*address);
  }
  const std::string path = status_socket_of(options);
  if (!path.empty()) endpoints->serve_unix(path);
  return endpoints;
}

}  // namespace patchbay::cli
