#pragma once

#include <string>

namespace patchbay::bench {

/// Measures the cost of monitoring: CPU time of a scrape, and the delay of a plug during many
/// requests.
void measure_monitoring(const std::string& binary);

}  // namespace patchbay::bench
