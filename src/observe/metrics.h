#pragma once

#include <string>

#include "observe/counters.h"
#include "observe/metrics_text.h"
#include "observe/node_status.h"

namespace patchbay::observe {

struct MetricsQuery {
  MetricsFormat format = MetricsFormat::prometheus;
  bool per_unit = false;  ///< Adds a series for each unit.
};

/// All metrics in the text format; docs/observing.md lists them. Labels are names of the
/// configuration, except the labels of units. Reads the process's own metrics from /proc, which
/// does not wait for a disk.
[[nodiscard]] std::string metrics(const NodeStatus& status, const Counters& counters,
                                  const MetricsQuery& query = {});

}  // namespace patchbay::observe
