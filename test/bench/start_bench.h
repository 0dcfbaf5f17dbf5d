#pragma once

#include <string>

namespace patchbay::bench {

/// Measures the time from the daemon's start to the first lists of 100 resources with 100 devices
/// each. Covers a start after a clean exit and a start after a kill.
void measure_starts(const std::string& binary);

}  // namespace patchbay::bench
