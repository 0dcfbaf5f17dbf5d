#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/facts/device_tree.h"
#include "paths/host_root.h"
#include "suggest/candidates.h"
#include "suggest/kinds.h"

/// Makes kinds for device nodes of no known kind. The unit of such a kind is the hardware that has
/// the nodes.
namespace patchbay::suggest {

/// Returns the syspath of the hardware to which a device belongs. The hardware is the device itself
/// or a device above it. The first suitable row of owners() determines which one. Empty if there is
/// none. Blocking.
[[nodiscard]] std::string hardware_of(const host::DeviceTree& tree, const std::string& syspath);

/// Makes a kind for a device that is in none of the units. Fails if the device was removed, or if a
/// container could get nothing of it. Blocking.
[[nodiscard]] Result<KindPtr> make_kind(const Wanted& wanted, std::span<const CandidatePtr> all,
                                        const paths::HostRoot& root);

/// Makes the kinds of all hardware that has device nodes, but no device in any unit. Blocking.
[[nodiscard]] std::vector<KindPtr> make_kinds(std::span<const CandidatePtr> all,
                                              const paths::HostRoot& root);

}  // namespace patchbay::suggest
