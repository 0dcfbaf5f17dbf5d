#include "cli/observed.h"

#include <utility>

#include "base/log.h"
#include "cli/status_client.h"
#include "observe/journal.h"

namespace patchbay::cli {
namespace {

/// Never destroyed, as the log.
observe::Journal& journal() {
  static auto* const kept = new observe::Journal;
  return *kept;
}

}  // namespace

void keep_journal() {
  log::listen([&kept = journal()](const log::Entry& entry, auto at) { kept.take(entry, at); });
}

Result<std::unique_ptr<http::Endpoints>> observe_daemon(const RunOptions& options,
                                                        observe::StatusSource& source,
                                                        const observe::Counters& counters) {
  auto endpoints = http::Endpoints::start(
      source, journal(), counters,
      {.page_on_network = options.page, .metrics_per_unit = options.metrics_per_unit});
  if (!endpoints) return endpoints;
  if (!options.listen.empty()) {
    const auto address = http::parse_tcp_address(options.listen);
    if (!address) return std::unexpected(address.error());
    (*endpoints)->serve_on(*address);
  }
  const std::string path =
      options.status_socket.empty() ? default_status_socket() : options.status_socket;
  if (!path.empty() && path != kNoSocket) (*endpoints)->serve_at(path);
  return endpoints;
}

}  // namespace patchbay::cli
