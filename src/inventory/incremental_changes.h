#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inventory/device_table.h"
#include "inventory/id_assigner.h"

namespace patchbay::inventory {

/// Collects the changes since the last offer as long as they are independent of everything else. A
/// change is independent if at most one rule matches the device and the device alone is a unit.
/// Also, no other name of its device node may match a rule. Independent changes replace single
/// candidates, and all other claims, units and refusals stay valid. Loop thread.
class IncrementalChanges {
 public:
  /// Call before `device`, a current or future key of `devices`, changes.
  void note(const DeviceTable& devices, std::string_view device);

  /// The changed candidates. Null: a full pass is necessary, because other units may depend on the
  /// changes, or because there are too many. `devices` is the current table.
  [[nodiscard]] std::optional<std::vector<CandidateChange>> candidates(const DeviceTable& devices);

  /// All noted changes are applied. `full_pass`: by recomputing everything.
  void mark_applied(bool full_pass);

 private:
  /// The contribution of a device to the units: none if no rule matches it.
  struct SingleUnit {
    bool independent = true;  ///< The device contributes nothing, or is one unit alone.
    size_t resource = 0;
    MadeUnitPtr unit{};
    std::optional<DeviceNumber> number{};
  };

  static SingleUnit single_unit_of(const DeviceTable& devices, std::string_view device);
  /// Updates numbers_ for a device that changed from `was` to `now`.
  void renumber(const SingleUnit& was, const SingleUnit& now);
  /// Whether a device node of either has another name that a rule matches.
  [[nodiscard]] bool shares_number(const SingleUnit& was, const SingleUnit& now) const;

  /// The state of each device before its first change, by key. Null: too many changes.
  std::optional<std::map<std::string, SingleUnit, std::less<>>> changed_;
  /// Sorted numbers of the devices that rules match, as of the last mark_applied(). Null: unknown.
  std::optional<std::vector<DeviceNumber>> numbers_;
};

}  // namespace patchbay::inventory
