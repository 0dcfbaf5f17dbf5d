#pragma once

#include <string>

namespace patchbay::bench {

/// What it takes to follow the configuration: time to the kubelet, and what memory, descriptors and
/// threads a reload needs and leaves.
void measure_reload(const std::string& binary);

}  // namespace patchbay::bench
