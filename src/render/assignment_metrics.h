#pragma once

#include "render/metrics_text.h"
#include "status/node_status.h"

namespace patchbay::render {

/// Adds a series for each allocated unit. Labels are those of device exporters, so that series can
/// be joined. Names in them come from the kubelet.
void add_assignment_metrics(const status::NodeStatus& status, MetricsText& text);

}  // namespace patchbay::render
