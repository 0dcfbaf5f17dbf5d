#pragma once

#include <string>

namespace patchbay::bench {

/// How long it takes from the daemon's start until the kubelet has the first list of each of 100
/// resources with 100 devices: after a clean end of the daemon before, and after it was killed.
void measure_starts(const std::string& binary);

}  // namespace patchbay::bench
