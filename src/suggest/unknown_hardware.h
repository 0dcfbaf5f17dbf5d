#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/facts/device_tree.h"
#include "paths/host_root.h"
#include "suggest/candidates.h"
#include "suggest/kinds.h"

/// Finds kinds for device nodes of no known kind. The unit is the hardware that has the nodes.
namespace patchbay::suggest {

/// The syspath of the nearest hardware: the device itself, or a device above it, that has a row in
/// owners(). Empty: none. Blocking.
[[nodiscard]] std::string hardware_of(const host::DeviceTree& tree, const std::string& syspath);

/// A kind for a device that is in none of the units. An Error: a container could get nothing of it.
/// Blocking.
[[nodiscard]] Result<KindPtr> make_kind(const Wanted& wanted, std::span<const CandidatePtr> all,
                                        const paths::HostRoot& root);

/// The kinds of all hardware with nodes of which no unit has a device. Blocking.
[[nodiscard]] std::vector<KindPtr> make_kinds(std::span<const CandidatePtr> all,
                                              const paths::HostRoot& root);

}  // namespace patchbay::suggest
