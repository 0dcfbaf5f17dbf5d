#pragma once

#include <string>

namespace patchbay::bench {

/// How long the kubelet is without a resource when one daemon takes it over from another that ends:
/// from the end of the old process to the new one's list, of both generations of kubelets, after
/// SIGTERM and after SIGKILL; how long after a stream that the kubelet cut; and how long after a
/// kubelet has started in a directory that was made anew.
void measure_takeover(const std::string& binary);

}  // namespace patchbay::bench
