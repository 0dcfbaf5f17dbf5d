#pragma once

#include <string>

namespace patchbay::bench {

/// Measures the time without a resource in the kubelet when another daemon takes over: from the end
/// of the old process to the new list. Covers both generations of kubelets, SIGTERM and SIGKILL.
/// Also measures the time after the kubelet cuts a stream, and after its start in a recreated
/// directory.
void measure_takeover(const std::string& binary);

}  // namespace patchbay::bench
