#pragma once

#include "render/metrics_text.h"
#include "status/counters.h"
#include "status/node_status.h"

namespace patchbay::render {

/// Adds the metrics of the DRA drivers and their ResourceClaims. Adds nothing if there is no
/// driver.
void add_dra_metrics(const status::NodeStatus& status, const status::Counters& counters,
                     MetricsText& text);

}  // namespace patchbay::render
