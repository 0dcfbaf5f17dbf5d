#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "pods/pod_resources.h"
#include "status/pod_resources_status.h"

namespace patchbay::pods {

/// Records which container has which of the kubelet's devices. Its sources are the kubelet's
/// answers to PodResources queries, and our own Allocates, which give the times. No side effects.
/// One thread.
class AllocationTracker {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// A query that begins this long after an Allocate reports the allocated device if a Pod has it.
  /// An earlier query may not report the device, because the Pod may not be active yet.
  static constexpr std::chrono::seconds kSettleTime{9};
  /// Maximum number of devices whose Allocate is remembered. If there are more, the oldest is
  /// dropped.
  static constexpr size_t kMaxPending = 8192;

  /// Records an Allocate of these devices.
  void allocated(const std::string& resource, const std::vector<std::string>& devices, Time at);

  /// Replaces the state by the kubelet's answer to a query that began at `asked`. Allocates that
  /// the answer may lack are kept.
  void take(const std::vector<DeviceAllocation>& allocations, Time asked);

  /// Returns the resources with known devices, including withdrawn resources in use.
  [[nodiscard]] ResourceNames resources() const;

  /// Returns the current state; the same object until it changes.
  [[nodiscard]] std::shared_ptr<const status::AssignmentsByResource> all() const;

 private:
  void drop_oldest();

  status::AssignmentsByResource devices_;
  size_t allocated_ = 0;  ///< Number of devices with a remembered Allocate.
  /// The result of all(). Null if not made since the last change.
  mutable std::shared_ptr<const status::AssignmentsByResource> shared_;
};

}  // namespace patchbay::pods
