#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "driver/claim_store.h"
#include "driver/resource_claim_handler.h"
#include "inventory/held_devices.h"
#include "inventory/snapshot.h"

/// Decides what a call of the kubelet does, from the records of earlier calls. Pure; any thread.
/// The kubelet repeats calls, also after a restart, a crash of the daemon or a reboot.
namespace patchbay::driver {

/// A call of the kubelet for one ResourceClaim.
enum class ClaimCall { prepare, unprepare };

/// The state of a ResourceClaim, as its record says.
enum class ClaimState {
  none,             ///< There is no record.
  unfinished,       ///< Prepare was interrupted or failed, or the record is of an earlier boot. No
                    ///< container has its devices.
  prepared,         ///< It is prepared in this boot. Containers may use its devices.
  releasing,        ///< Steps of `release` may have run.
  release_failed,   ///< Unprepare has succeeded, but steps of `release` fail.
  of_other_driver,  ///< Its record is that of another driver.
  unreadable,       ///< See StoredClaims::unreadable.
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
  /// Store the record as `releasing`. Run the steps of `release` from the first. Then `remove`. If
  /// a step fails: answer with that error, or after the timeout store the record as
  /// `release_failed` and `succeed`.
  release,
  remove,   ///< Remove the CDI spec, then the record; then `succeed`.
  succeed,  ///< Answer that nothing is left to do.
  fail,     ///< Answer with prepare_fault().
};

/// Returns the state of a ResourceClaim for a driver, in the boot with this id.
[[nodiscard]] ClaimState claim_state(const StoredClaims& stored, const ResourceClaimName& claim,
                                     std::string_view boot_id);

[[nodiscard]] ClaimAction first_action(ClaimCall call, ClaimState state);

/// Returns why a ResourceClaim with this state cannot be prepared. The state must be one for which
/// first_action() is `fail`.
[[nodiscard]] Error prepare_fault(const StoredClaims& stored, const std::string& uid,
                                  ClaimState state);

/// Returns RecordedDevice::keys of a unit: inventory::exclusive_devices() as printable text,
/// because paths can have bytes that JSON cannot.
[[nodiscard]] std::vector<std::string> exclusive_keys(const rules::ResourcePlan& resource,
                                                      const inventory::UnitMembers& members);

/// Fails if another record of the same boot has a device of `wanted`, also under another name, or
/// if an unreadable one may have it. The scheduler prevents this, except after a forced deletion of
/// a Pod. The error is for the Pod's event.
[[nodiscard]] Result<void> check_unoccupied(const ClaimRecord& wanted, const StoredClaims& stored);

/// The units that other lists must not give away: those of all records of this boot. The holder of
/// each is its ResourceClaim. For those of `plan` that DRA publishes under the same name, only a
/// failed release counts.
[[nodiscard]] std::vector<inventory::HeldUnit> held_units(const ClaimRecords& records,
                                                          const rules::Plan& plan,
                                                          std::string_view boot_id);

}  // namespace patchbay::driver
