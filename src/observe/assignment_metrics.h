#pragma once

#include "observe/metrics_text.h"
#include "observe/node_status.h"

namespace patchbay::observe {

/// Adds a series for each allocated unit. Labels are those of device exporters, so that series can
/// be joined. Names in them come from the kubelet.
void add_assignment_metrics(const NodeStatus& status, MetricsText& text);

}  // namespace patchbay::observe
