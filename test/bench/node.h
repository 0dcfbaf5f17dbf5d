#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "base/facts.h"
#include "inventory/inventory.h"
#include "rules/plan.h"

namespace patchbay::bench {

constexpr inventory::Inventory::Time kNow{std::chrono::hours(24)};

/// Throws what it should be, if it does not hold. What is made must be looked at, too, or a
/// compiler need not make it.
void expect(bool holds, const char* what);

/// How long the list is that a stream sends.
[[nodiscard]] size_t list_bytes(const inventory::Snapshot& snapshot);

/// What the daemon does of a node's devices but to read them: from an event to the kubelet's list.
class Node {
 public:
  Node(rules::PlanPtr plan, std::vector<DeviceFactsPtr> devices);

  /// All devices are there at once.
  void start();

  /// An event of a device, which is one of those of the node; these are its facts now.
  void look(size_t device, const DeviceFactsPtr& facts);
  /// What has changed goes to the kubelet.
  void tell();

  [[nodiscard]] inventory::Inventory& inventory() { return inventory_; }
  [[nodiscard]] const std::vector<DeviceFactsPtr>& devices() const { return devices_; }
  /// That the kubelet knows.
  [[nodiscard]] size_t units() const;

 private:
  rules::PlanPtr plan_;
  HostQueryPtr query_;
  inventory::Inventory inventory_;
  std::vector<DeviceFactsPtr> devices_;
  std::vector<DeviceFacts> cheap_;            ///< Of each of them, what is known before it is read.
  std::vector<inventory::SnapshotPtr> sent_;  ///< By resource.
  inventory::Inventory::Time now_ = kNow;
};

}  // namespace patchbay::bench
