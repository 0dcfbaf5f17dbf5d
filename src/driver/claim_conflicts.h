#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver/claim_store.h"

namespace patchbay::driver {

/// Finds prepared ResourceClaims of one Pod that give different content at one container path or to
/// one variable. The runtime uses the last one without an error. This is a warning, because the
/// driver does not know which container uses which ResourceClaim. Returns texts for users, by the
/// uid of the first of two ResourceClaims. Omits ResourceClaims that are being released. Pure; any
/// thread.
[[nodiscard]] std::map<std::string, std::vector<std::string>> find_claim_conflicts(
    const ClaimRecords& records);

}  // namespace patchbay::driver
