#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/options/options.h"
#include "http/endpoints.h"
#include "status/counters.h"
#include "status/node_status.h"

/// Serves the status, metrics and events of the process during `run`.
namespace patchbay::cli {

/// From now on, keeps log records about devices for `events`, as long as the process lives. Call
/// once.
void start_journal();

/// The `status` command for a daemon with these options, or the reason why there is none, for the
/// person who starts it. Whole lines, or empty.
[[nodiscard]] std::string status_hint(const RunOptions& options);

/// Serves the endpoints that the options enable. The arguments must outlive the result.
[[nodiscard]] Result<std::unique_ptr<http::Endpoints>> start_endpoints(
    const RunOptions& options, status::StatusSource& source, const status::Counters& counters);

}  // namespace patchbay::cli
