#pragma once

#include "observe/metrics_text.h"
#include "observe/node_status.h"

namespace patchbay::observe {

/// Who holds what: series as many as units are held. Labels are as exporters of devices have them,
/// so that series can be joined; names in them are the kubelet's.
void add_assignment_metrics(const NodeStatus& status, MetricsText& text);

}  // namespace patchbay::observe
