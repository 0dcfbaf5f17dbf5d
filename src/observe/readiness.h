#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "observe/node_status.h"

namespace patchbay::observe {

/// One thing that must be so before the node's devices count as served.
struct ReadinessCheck {
  std::string name;  ///< "configuration", "scan", or a resource.
  bool ok = false;
  std::string text;  ///< How it is, for people.
};

/// A kubelet that restarts is not our fault: for so long it may be away.
inline constexpr std::chrono::seconds kKubeletGracePeriod{60};

/// All of them, in order; the daemon is ready when each is ok. Never what a restart cannot cure,
/// but a kubelet that does not take us, so that a roll-out stops there. Pure.
[[nodiscard]] std::vector<ReadinessCheck> readiness(const NodeStatus& status);

}  // namespace patchbay::observe
