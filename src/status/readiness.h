#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "status/node_status.h"

namespace patchbay::status {

/// One condition for the readiness of the daemon.
struct ReadinessCheck {
  std::string name;  ///< "configuration", "scan", or a resource.
  bool ok = false;
  std::string text;  ///< The state, as text.
};

/// An unreachable kubelet fails no check for this time, because it may be restarting.
inline constexpr std::chrono::seconds kKubeletGracePeriod{60};

/// Returns all checks, in order. The daemon is ready if all of them are ok. Unhealthy or missing
/// units do not fail a check. A rejected registration fails a check, so that a roll-out stops.
/// Pure.
[[nodiscard]] std::vector<ReadinessCheck> readiness(const NodeStatus& status);

}  // namespace patchbay::status
