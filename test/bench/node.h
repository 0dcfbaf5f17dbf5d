#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "inventory/inventory.h"
#include "model/facts.h"
#include "rules/plan/plan.h"

namespace patchbay::bench {

constexpr inventory::Inventory::Time kNow{std::chrono::hours(24)};

/// Throws `what` if the condition is false. It also keeps the compiler from removing the measured
/// work.
void expect(bool holds, const char* what);

/// The size in bytes of the list that a stream sends.
[[nodiscard]] size_t list_bytes(const inventory::Snapshot& snapshot);

/// Processes the devices of a node as the daemon does, from an event to the kubelet's list. Devices
/// are not read; their facts are given.
class Node {
 public:
  Node(rules::PlanPtr plan, std::vector<DeviceFactsPtr> devices);

  /// Adds all devices at once.
  void start();

  /// Handles an event of a device of the node. `facts` are its new facts.
  void on_event(size_t device, const DeviceFactsPtr& facts);
  /// Sends changes to the kubelet.
  void send_changes();

  [[nodiscard]] inventory::Inventory& inventory() { return inventory_; }
  [[nodiscard]] const std::vector<DeviceFactsPtr>& devices() const { return devices_; }
  /// Number of units in the kubelet's list.
  [[nodiscard]] size_t units() const;

 private:
  rules::PlanPtr plan_;
  HostQueryPtr query_;
  inventory::Inventory inventory_;
  std::vector<DeviceFactsPtr> devices_;
  std::vector<DeviceFacts> cheap_;            ///< By device: the facts that are known before it is
                                              ///< read.
  std::vector<inventory::SnapshotPtr> sent_;  ///< By resource: the last list.
  inventory::Inventory::Time now_ = kNow;
};

}  // namespace patchbay::bench
