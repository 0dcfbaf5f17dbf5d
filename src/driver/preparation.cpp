#include "driver/preparation.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "inventory/held_devices.h"

namespace patchbay::driver {
namespace {

ClaimAction action_of_prepare(ClaimState state) {
  switch (state) {
    case ClaimState::none:
      return ClaimAction::read_claim;
    case ClaimState::unfinished:
      return ClaimAction::find_units;
    case ClaimState::prepared:
      return ClaimAction::answer;
    case ClaimState::unreadable:
      return ClaimAction::fail;
  }
  std::unreachable();
}

}  // namespace

ClaimState claim_state(const StoredClaims& stored, std::string_view uid, std::string_view boot_id) {
  if (stored.unreadable.contains(uid)) return ClaimState::unreadable;
  const auto found = stored.records.find(uid);
  if (found == stored.records.end()) return ClaimState::none;
  const ClaimRecord& record = found->second;
  const bool is_prepared = record.boot_id == boot_id && record.phase == ClaimPhase::prepared;
  return is_prepared ? ClaimState::prepared : ClaimState::unfinished;
}

ClaimAction first_action(ClaimCall call, ClaimState state) {
  if (call == ClaimCall::prepare) return action_of_prepare(state);
  return state == ClaimState::none ? ClaimAction::succeed : ClaimAction::remove;
}

std::vector<std::string> exclusive_keys(const rules::ResourcePlan& resource,
                                        const inventory::UnitMembers& members) {
  std::vector<std::string> keys = inventory::exclusive_devices(resource, members);
  for (std::string& key : keys) key = printable(key, std::string::npos);
  return keys;
}

Result<void> check_unoccupied(const ClaimRecord& wanted, const ClaimRecords& records) {
  std::map<std::string_view, const RecordedDevice*> by_key;
  for (const RecordedDevice& device : wanted.devices) {
    for (const std::string& key : device.keys) by_key.emplace(key, &device);
  }
  for (const auto& [uid, record] : records) {
    // A reboot ended all containers, and another device can have the key now.
    if (uid == wanted.uid || record.boot_id != wanted.boot_id) continue;
    for (const RecordedDevice& device : record.devices) {
      for (const std::string& key : device.keys) {
        const auto found = by_key.find(key);
        if (found == by_key.end()) continue;
        return fail(fmt::format(
            "device {} ({}): in use by {}, as {}; delete the Pods that use that ResourceClaim",
            found->second->device, key, claim_text(record.name_space, record.name), device.device));
      }
    }
  }
  return {};
}

}  // namespace patchbay::driver
