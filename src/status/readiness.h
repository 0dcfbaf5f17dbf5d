#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "status/node_status.h"

namespace patchbay::status {

/// One condition for the readiness of the node's devices.
struct ReadinessCheck {
  std::string name;  ///< "configuration", "scan", or a resource.
  bool ok = false;
  std::string text;  ///< The state, as text.
};

/// A kubelet may be unreachable for this time, because it may restart.
inline constexpr std::chrono::seconds kKubeletGracePeriod{60};

/// All checks, in order. The daemon is ready when each is ok. Unhealthy or missing units do not
/// fail a check. A kubelet that rejects the registration does, so that a roll-out stops there.
/// Pure.
[[nodiscard]] std::vector<ReadinessCheck> readiness(const NodeStatus& status);

}  // namespace patchbay::status
