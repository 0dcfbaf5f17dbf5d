#pragma once

#include <string>

#include "render/metrics_text.h"
#include "status/counters.h"
#include "status/node_status.h"

namespace patchbay::render {

struct MetricsQuery {
  bool per_unit = false;  ///< Adds a series for each unit.
};

/// Returns all metrics in Prometheus' text format; docs/observing.md lists them. Label values are
/// names of the configuration, fixed words or versions. With `per_unit`, values of units are label
/// values, too. The metrics of the process are read from /proc, which does not block on a disk.
[[nodiscard]] std::string metrics(const status::NodeStatus& status,
                                  const status::Counters& counters, const MetricsQuery& query = {});

}  // namespace patchbay::render
