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

/// A device of a UnitDraft, with the match that assigned it. Points into the DeviceTable.
struct DraftDevice {
  const KnownDevice* device = nullptr;
  const Match* match = nullptr;
  Role role = 0;
  size_t index = 0;  ///< Index among all devices with a match, in natural order.
};

/// A device that did not join a draft as a member, because another group claimed the device.
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
  Claims& operator=(Claims&&) = delete;  // It would free the memory of drafts in use.
  ~Claims() = default;

  /// The memory of all UnitDraft::devices. Thousands of drafts with one device each share it.
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory =
      std::make_unique<std::pmr::monotonic_buffer_resource>();
  std::vector<std::vector<UnitDraft>> by_resource;  ///< By group, then in natural order of device.
  /// Devices that match a member, but whose text of `by` is unknown (Grouping::fault), in natural
  /// order. The key is RuleIndex::representative() of the member's rule.
  std::map<rules::Rule, std::vector<DraftDevice>> orphaned;
  RefusalsByResource refusals;
};

/// Assigns each device to the first group of the plan that matches it, or that has a draft which
/// the device joins as a member. Device nodes with the same number are one device. If several of
/// these nodes match, the earliest group gets the device, through its first node in natural order.
/// A resource with `claim: shared` neither blocks other resources nor is blocked by them. A member
/// with `claim: shared` does not claim its devices. Pure.
[[nodiscard]] Claims assign_devices(const rules::Plan& plan, const DeviceTable& devices);

}  // namespace patchbay::inventory
