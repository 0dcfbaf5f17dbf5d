#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "observe/pod_resources_status.h"
#include "pods/pod_list.h"

namespace patchbay::pods {

/// Who holds which of the kubelet's devices: its answers, one after the other, and our own
/// Allocates, which tell the time. One thread; pure, but for that it remembers.
class AllocationTracker {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// An answer that was asked for so long after an Allocate tells of its device, if it has it at
  /// all: before, the Pod may not be active yet.
  static constexpr std::chrono::seconds kSettleTime{9};
  /// So many are remembered to have been given away, while the kubelet does not tell of them.
  static constexpr size_t kMaxPending = 8192;

  /// Allocate has given these away.
  void allocated(const std::string& resource, const std::vector<std::string>& devices, Time at);

  /// The kubelet's answer to what was asked at that time. It replaces the one before.
  void take(const std::vector<DeviceAllocation>& allocations, Time asked);

  /// Of which resources something is known: it may be held yet when they are offered no more.
  [[nodiscard]] ResourceNames resources() const;

  /// As it is now; the same value until something changes.
  [[nodiscard]] std::shared_ptr<const observe::AssignmentsByResource> all() const;

 private:
  void drop_oldest();

  observe::AssignmentsByResource devices_;
  size_t allocated_ = 0;  ///< So many of them have been, and may be yet.
  /// Made when it is asked for: null since then.
  mutable std::shared_ptr<const observe::AssignmentsByResource> shared_;
};

}  // namespace patchbay::pods
