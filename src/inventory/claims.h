#pragma once

#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "inventory/device_table.h"
#include "inventory/resolution.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// A device in a unit, and how it matched. Points into the DeviceTable.
struct DraftDevice {
  const KnownDevice* device = nullptr;
  const Match* match = nullptr;
  Role role = 0;
  size_t index = 0;  ///< Among all devices that match something, in natural order.
};

/// A device that would join a unit, had not another group claimed it.
struct CompetingClaim {
  Role role = 0;
  std::string why;
};

/// The devices that belong together, complete or not.
struct UnitDraft {
  size_t resource = 0;
  size_t group = 0;
  std::pmr::vector<DraftDevice> devices;  ///< By role, then in natural order; never empty.
  std::vector<CompetingClaim> competing;

  [[nodiscard]] const DraftDevice& first() const { return devices.front(); }
  [[nodiscard]] std::string_view by() const { return first().match->by(); }
};

/// Which resource has which devices.
struct Claims {
  Claims() = default;
  Claims(Claims&&) = default;
  Claims& operator=(Claims&&) = delete;  // It would take the memory of drafts that still live.
  ~Claims() = default;

  /// Of the devices of the drafts: most have one, and there are thousands.
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory =
      std::make_unique<std::pmr::monotonic_buffer_resource>();
  std::vector<std::vector<UnitDraft>> by_resource;  ///< By group, then in natural order of device.
  /// Devices that match as members, but of which it is not known what they belong with, in natural
  /// order; by RuleIndex::representative().
  std::map<rules::Rule, std::vector<DraftDevice>> orphaned;
  RefusalsByResource refusals;
};

/// A device belongs to the first group, in order, that matches it or has it in a unit, complete or
/// not. Device nodes with one number are one device: the one of the earlier group, then the first
/// in natural order, has it. A resource that shares claims neither makes nor minds those of others;
/// a member that does so, none at all.
[[nodiscard]] Claims settle_claims(const rules::Plan& plan, const DeviceTable& devices);

}  // namespace patchbay::inventory
