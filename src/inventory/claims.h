#pragma once

#include <vector>

#include "inventory/device_table.h"
#include "inventory/resolution.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// A device that a resource has, and how it matched.
struct Candidate {
  const KnownDevice* device = nullptr;
  const Match* match = nullptr;
};

/// Which resource has which device. Points into the DeviceTable.
struct Claims {
  std::vector<std::vector<Candidate>> by_resource;  ///< In natural order of devices.
  std::vector<Refusal> refusals;
};

/// A device belongs to the first group, in order, that matches it. Two device nodes with one number
/// are one device: the one with the earlier group, then the first in natural order, has it.
[[nodiscard]] Claims settle_claims(const rules::Plan& plan, const DeviceTable& devices);

}  // namespace patchbay::inventory
