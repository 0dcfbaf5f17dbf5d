#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/facts.h"
#include "inventory/snapshot.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// A device that a group matched but that is not offered, and why.
struct Refusal {
  size_t resource = 0;
  size_t group = 0;
  std::string device;  ///< DeviceFacts::key.
  std::string id;      ///< As far as one could be made.
  std::string reason;
};

/// What all resources offer, after everything that is known has been taken in.
struct Resolution {
  std::vector<SnapshotPtr> snapshots;  ///< One per resource of the plan, in order.
  std::vector<Refusal> refusals;       ///< By resource, then in natural order of device.
  /// When the next lost unit is due to be dropped; resolve again then.
  std::optional<std::chrono::steady_clock::time_point> next_change;
};

/// Everything known about the host, matched against the plan.
///
/// apply() and remove() recompute the cached matches of one device; resolve() is a pure function of
/// all cached matches, the units that were lost, and the time: the order in which the devices were
/// told cannot matter. No I/O. Loop thread.
class Inventory {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Inventory(rules::PlanPtr plan);

  /// New or changed facts of one device; equal facts change nothing. True: something that a rule
  /// looks at changed, so resolve() may answer differently.
  bool apply(DeviceFactsPtr facts);
  /// The device is gone. True as above.
  bool remove(const std::string& key);

  /// Claims, ids and refusals over all devices; units that were offered by the last call and are
  /// not any more stay as unhealthy until `linger` has passed. A resource in which nothing changed
  /// keeps the very Snapshot (same pointer) of the last call.
  const Resolution& resolve(Time now);

  [[nodiscard]] const Resolution& last() const { return last_; }
  [[nodiscard]] const rules::PlanPtr& plan() const { return plan_; }
  /// Every device that some group matches, by key.
  [[nodiscard]] size_t matched_devices() const { return devices_.size(); }

 private:
  /// One group that a device matches.
  struct Match {
    size_t resource = 0;
    size_t group = 0;
    Captures captures;
  };
  struct Device {
    DeviceFactsPtr facts;
    std::vector<Match> matches;  ///< In order of the plan; not empty.
  };
  /// A unit that was offered and is not any more.
  struct Lost {
    Unit unit;
    Time since;
  };

  rules::PlanPtr plan_;
  std::map<std::string, Device, std::less<>> devices_;
  std::vector<std::map<std::string, Lost, std::less<>>> lost_;  ///< Per resource, by id.
  Resolution last_;
};

}  // namespace patchbay::inventory
