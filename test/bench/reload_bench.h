#pragma once

#include <string>

namespace patchbay::bench {

/// Measures reloads: the time to the kubelet, and the memory, descriptors and threads that a reload
/// needs and leaves.
void measure_reload(const std::string& binary);

}  // namespace patchbay::bench
