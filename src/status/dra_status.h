#pragma once

#include <string>
#include <vector>

namespace patchbay::status {

/// A ResourceClaim that a DRA driver has prepared, or begun to prepare or release.
struct DraClaim {
  struct Device {
    std::string resource;
    std::string unit;
  };
  std::string name_space{};
  std::string name{};
  std::string uid;
  std::string phase;  ///< The word of its driver::ClaimPhase; "unreadable": its record is damaged.
  std::vector<Device> devices{};
  std::string reason{};  ///< Why its release failed, or its record is damaged. Empty: neither.
  /// Values that another ResourceClaim of the same Pod gives differently, with the cure.
  std::vector<std::string> warnings{};
};

/// A DRA driver that this process serves, or whose ResourceClaims are on this node.
struct DraDriver {
  std::string name;
  /// The configuration does not have the driver. It ends with its last ResourceClaim.
  bool draining = false;
  bool standby = false;     ///< Another instance serves it. The other fields are then empty.
  bool registered = false;  ///< The kubelet has accepted it, and is connected.
  std::string reason{};     ///< Why it is not registered, or its slices are not stored or deleted.
  bool api_up = false;      ///< The API server answered the last request.
  std::vector<DraClaim> claims{};
};

}  // namespace patchbay::status
