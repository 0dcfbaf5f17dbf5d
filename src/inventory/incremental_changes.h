#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inventory/device_table.h"
#include "inventory/id_assigner.h"

namespace patchbay::inventory {

/// What has changed since units were last offered, where it is so little that nothing else depends
/// on it: devices that one rule matches, that rule makes each a unit by itself, and no other name
/// of their device node matches any. What becomes of them is then a change of so many candidates,
/// and all other claims, units and refusals stay what they are. Loop thread.
class IncrementalChanges {
 public:
  /// `device`, which is a key of `devices` or will be, is about to change.
  void note(const DeviceTable& devices, std::string_view device);

  /// The changes of candidates; none: all has to be looked at, since something else may depend on
  /// them, or they are many. `devices` are as they are now.
  [[nodiscard]] std::optional<std::vector<CandidateChange>> candidates(const DeviceTable& devices);

  /// All that was noted has been taken in; `full_pass`: by a look at everything.
  void mark_applied(bool full_pass);

 private:
  /// What a device is to the units: nothing, if no rule matches it.
  struct SingleUnit {
    bool independent = true;  ///< It is nothing, or one unit by itself.
    size_t resource = 0;
    MadeUnitPtr unit{};
    std::optional<DeviceNumber> number{};
  };

  static SingleUnit single_unit_of(const DeviceTable& devices, std::string_view device);
  /// Has numbers_ follow that the device with `was` is `now` another.
  void renumber(const SingleUnit& was, const SingleUnit& now);
  /// Whether a device node of one of them has another name that some rule matches.
  [[nodiscard]] bool shares_number(const SingleUnit& was, const SingleUnit& now) const;

  /// What they were before their first change, by key. None: more than can be told one by one.
  std::optional<std::map<std::string, SingleUnit, std::less<>>> changed_;
  /// Of the devices that rules match, sorted, as of the last mark_applied(). None: not known.
  std::optional<std::vector<DeviceNumber>> numbers_;
};

}  // namespace patchbay::inventory
