#pragma once

#include <string>

#include "observe/counters.h"
#include "observe/metrics_text.h"
#include "observe/node_status.h"

namespace patchbay::observe {

struct MetricsQuery {
  MetricsFormat format = MetricsFormat::prometheus;
  bool per_unit = false;  ///< Also a series for each unit: as many as there are devices.
};

/// All that is measured, for a scraper; docs/observing.md has the table. Labels are names of the
/// configuration, but for those of units. Of the process it reads /proc, which is in memory.
[[nodiscard]] std::string metrics(const NodeStatus& status, const Counters& counters,
                                  const MetricsQuery& query = {});

}  // namespace patchbay::observe
