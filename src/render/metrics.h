#pragma once

#include <string>

#include "render/metrics_text.h"
#include "status/counters.h"
#include "status/node_status.h"

namespace patchbay::render {

struct MetricsQuery {
  bool per_unit = false;  ///< Adds a series for each unit.
};

/// All metrics in the text format; docs/observing.md lists them. Label values are
/// names of the configuration, fixed words, or versions, except those of units. Reads the process's
/// own metrics from /proc, which does not wait for a disk.
[[nodiscard]] std::string metrics(const status::NodeStatus& status,
                                  const status::Counters& counters, const MetricsQuery& query = {});

}  // namespace patchbay::render
