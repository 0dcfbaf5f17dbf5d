#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "driver/claim_store.h"
#include "inventory/snapshot.h"

/// Decides what a call of the kubelet does, from the records of earlier calls. Pure; any thread.
/// The kubelet repeats calls, also after a restart, a crash of the daemon or a reboot.
namespace patchbay::driver {

/// A call of the kubelet for one ResourceClaim.
enum class ClaimCall { prepare, unprepare };

/// The state of a ResourceClaim, as its record says.
enum class ClaimState {
  none,        ///< There is no record.
  unfinished,  ///< Prepare was interrupted or failed, or the record is of an earlier boot. No
               ///< container has its devices.
  prepared,    ///< It is prepared in this boot. Containers may use its devices.
  unreadable,  ///< See StoredClaims::unreadable.
};

/// The first action of a call. A comment also names the actions that follow.
enum class ClaimAction {
  /// Read the ResourceClaim from the API server, see read_allocation(), and make its record. Then
  /// as `find_units`.
  read_claim,
  /// Find the units of the record by resource and id, because a device node may have another device
  /// now. If a unit is missing, answer with that error. Render the record, and check_unoccupied().
  /// Store it as `preparing`. Run the steps from the first. Write the CDI spec. Store the record as
  /// `prepared`; then `answer`.
  find_units,
  /// Write the CDI spec if it is missing, and answer from the record.
  answer,
  /// Stop steps that run. Remove the CDI spec, then the record; then `succeed`.
  remove,
  succeed,  ///< Answer that nothing is left to do.
  fail,     ///< Answer with the Error of StoredClaims::unreadable.
};

/// Returns the state of a ResourceClaim in the boot with this id.
[[nodiscard]] ClaimState claim_state(const StoredClaims& stored, std::string_view uid,
                                     std::string_view boot_id);

[[nodiscard]] ClaimAction first_action(ClaimCall call, ClaimState state);

/// Returns RecordedDevice::keys of a unit: inventory::exclusive_devices() as printable text,
/// because paths can have bytes that JSON cannot.
[[nodiscard]] std::vector<std::string> exclusive_keys(const rules::ResourcePlan& resource,
                                                      const inventory::UnitMembers& members);

/// Fails if another record of the same boot has a device of `wanted`, also under another name. The
/// scheduler prevents this, except after a forced deletion of a Pod. The error is for the Pod's
/// event.
[[nodiscard]] Result<void> check_unoccupied(const ClaimRecord& wanted, const ClaimRecords& records);

}  // namespace patchbay::driver
