#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_text.h"
#include "base/result.h"
#include "driver/claim_record.h"

namespace patchbay::driver {

/// A DRA device of ours that the scheduler allocated to a ResourceClaim.
struct AllocationResult {
  std::string request;  ///< Without a subrequest: "disk" for "disk/large".
  std::string device;
  bool admin_access = false;  ///< Administrative access: other ResourceClaims may have the device.

  friend bool operator==(const AllocationResult&, const AllocationResult&) = default;
};

/// The data of a ResourceClaim that its record has.
struct ClaimAllocation {
  std::vector<AllocationResult> devices;
  std::string claim;           ///< ClaimRecord::claim
  std::vector<ClaimPod> pods;  ///< ClaimRecord::pods
};

/// The ResourceClaim in a call of the kubelet, and our own names.
struct AllocationQuery {
  std::string_view uid;
  std::string_view driver;
  std::string_view pool;  ///< Our pool on this node.
};

/// Reads a ResourceClaim, a response of the API server. Fails if the ResourceClaim must not be
/// prepared, or if the response is malformed. Users see the error in an event of the Pod. Pure; any
/// thread.
[[nodiscard]] Result<ClaimAllocation> read_allocation(const Json& claim,
                                                      const AllocationQuery& query);

}  // namespace patchbay::driver
