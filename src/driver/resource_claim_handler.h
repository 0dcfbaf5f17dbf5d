#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace patchbay::driver {

/// A ResourceClaim as a call of the kubelet names it. Its strings may be empty or contain any text.
struct ResourceClaimName {
  std::string driver;  ///< The name of the called driver.
  std::string uid;
  std::string namespace_name;
  std::string name;
};

/// One device of a prepared ResourceClaim, for the answer to the kubelet.
struct PreparedDevice {
  std::vector<std::string> requests;  ///< Requests of the ResourceClaim; empty: all.
  std::string pool;
  std::string device;                ///< Its name in the ResourceSlice.
  std::vector<std::string> cdi_ids;  ///< Qualified names of CDI devices, the unit's own first.
};

/// The devices of a prepared ResourceClaim, none for an unprepared one; or an error. The kubelet
/// sends an event with the error of a Prepare, and logs that of an Unprepare.
using ClaimOutcome = Result<std::vector<PreparedDevice>>;

/// Prepares and unprepares ResourceClaims for the kubelet. Loop thread.
///
/// For one uid there is one call at a time. `done` is called once, possibly within the call, and
/// does nothing after the caller was destroyed.
class ResourceClaimHandler {
 public:
  using Done = std::move_only_function<void(ClaimOutcome)>;

  virtual ~ResourceClaimHandler() = default;
  virtual void prepare(const ResourceClaimName& claim, Done done) = 0;
  /// An Unprepare waits until this ResourceClaim's prepare() is done: stop its steps, so that it is
  /// done soon. May be called repeatedly.
  virtual void stop_preparing(const std::string& uid) = 0;
  virtual void unprepare(const ResourceClaimName& claim, Done done) = 0;
};

}  // namespace patchbay::driver
