#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inventory/device_table.h"
#include "inventory/id_assigner.h"

namespace patchbay::inventory {

/// Collects the devices that changed since the last Inventory::offer(), so that a few changes need
/// no full pass over all devices. The changes must be independent. A change is independent if at
/// most one rule matches the device, and the device alone is a unit. Also, no rule may match
/// another name of its device node. Such a change replaces one candidate. All other claims, units
/// and refusals stay valid. Loop thread.
class IncrementalChanges {
 public:
  /// Call it before the device with this key is added to `devices`, changed, or removed.
  void note(const DeviceTable& devices, std::string_view device);

  /// Returns the changed candidates. Null if a full pass is necessary, because other units may
  /// depend on the changes, or because there are too many changes. `devices` is the current table.
  [[nodiscard]] std::optional<std::vector<CandidateChange>> candidates(const DeviceTable& devices);

  /// Forgets the noted changes, because the caller has applied them. `full_pass`: whether a full
  /// pass applied them.
  void mark_applied(bool full_pass);

 private:
  /// The unit that one device alone makes, if there is one.
  struct SingleUnit {
    bool independent = true;  ///< No rule matches the device, or the device alone is a unit.
    size_t resource = 0;
    MadeUnitPtr unit{};
    std::optional<DeviceNumber> number{};
  };

  static SingleUnit single_unit_of(const DeviceTable& devices, std::string_view device);
  /// Updates numbers_ for a device that changed from `was` to `now`.
  void renumber(const SingleUnit& was, const SingleUnit& now);
  /// Whether rules match another device with the number of `was` or of `now`.
  [[nodiscard]] bool shares_number(const SingleUnit& was, const SingleUnit& now) const;

  /// The state of each noted device before its first change, by key. Null if there are too many
  /// changes, or no offer yet.
  std::optional<std::map<std::string, SingleUnit, std::less<>>> changed_;
  /// The numbers of all devices that rules match, sorted, with duplicates. Null if unknown.
  std::optional<std::vector<DeviceNumber>> numbers_;
};

}  // namespace patchbay::inventory
