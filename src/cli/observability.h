#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "http/endpoints.h"
#include "observe/counters.h"
#include "observe/node_status.h"

/// What `run` tells of itself while it runs.
namespace patchbay::cli {

/// From now on what is logged of devices is kept for who asks; as long as the process lives. Once.
void start_journal();

/// Which command shows the status of the daemon with these options, or why none does, for the
/// person who starts it: whole lines, or nothing.
[[nodiscard]] std::string status_hint(const RunOptions& options);

/// Answers where the options say. What is given outlives it.
[[nodiscard]] Result<std::unique_ptr<http::Endpoints>> start_endpoints(
    const RunOptions& options, observe::StatusSource& source, const observe::Counters& counters);

}  // namespace patchbay::cli
