#pragma once

#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "inventory/device_table.h"
#include "inventory/resolution.h"
#include "rules/plan/plan.h"

namespace patchbay::inventory {

/// A device in a unit, with the match that put it there. Points into the DeviceTable.
struct DraftDevice {
  const KnownDevice* device = nullptr;
  const Match* match = nullptr;
  Role role = 0;
  size_t index = 0;  ///< Index among all devices with a match, in natural order.
};

/// A device that does not join a unit because another group claimed it.
struct CompetingClaim {
  Role role = 0;
  std::string why;
};

/// The devices of one unit, complete or incomplete.
struct UnitDraft {
  size_t resource = 0;
  size_t group = 0;
  std::pmr::vector<DraftDevice> devices;  ///< By role, then in natural order; never empty.
  std::vector<CompetingClaim> competing;

  [[nodiscard]] const DraftDevice& first() const { return devices.front(); }
  [[nodiscard]] std::string_view by() const { return first().match->by(); }
};

/// The result of assign_devices(): the devices of each resource.
struct Claims {
  Claims() = default;
  Claims(Claims&&) = default;
  Claims& operator=(Claims&&) = delete;  // It would free the memory of live drafts.
  ~Claims() = default;

  /// For the devices of the drafts: most drafts have one device, and there are thousands of drafts.
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory =
      std::make_unique<std::pmr::monotonic_buffer_resource>();
  std::vector<std::vector<UnitDraft>> by_resource;  ///< By group, then in natural order of device.
  /// Devices that match as members, with an unknown `by`, in natural order. By
  /// RuleIndex::representative().
  std::map<rules::Rule, std::vector<DraftDevice>> orphaned;
  RefusalsByResource refusals;
};

/// Assigns each device to the first group, in order, that matches it or has it in a complete or
/// incomplete unit. Device nodes with one number are one device: it belongs to the earlier group,
/// then to the first node in natural order. A resource that shares claims neither blocks other
/// resources nor is blocked by them. A member that shares claims does not claim its devices.
[[nodiscard]] Claims assign_devices(const rules::Plan& plan, const DeviceTable& devices);

}  // namespace patchbay::inventory
