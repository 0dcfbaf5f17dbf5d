#include "driver/preparation.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "inventory/held_devices.h"
#include "rules/plan/plan.h"

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
    case ClaimState::releasing:
    case ClaimState::release_failed:
    case ClaimState::of_other_driver:
    case ClaimState::unreadable:
      return ClaimAction::fail;
  }
  std::unreachable();
}

ClaimAction action_of_unprepare(ClaimState state) {
  switch (state) {
    case ClaimState::unfinished:
    case ClaimState::prepared:
    case ClaimState::releasing:
      return ClaimAction::release;
    case ClaimState::unreadable:
      return ClaimAction::remove;
    case ClaimState::none:
    case ClaimState::release_failed:
    case ClaimState::of_other_driver:
      return ClaimAction::succeed;
  }
  std::unreachable();
}

/// Whether the configuration publishes the unit by this driver, under its name.
bool publishes(const rules::Plan& plan, const std::string& driver, const std::string& resource) {
  return std::ranges::any_of(plan.resources, [&](const rules::ResourcePlanPtr& its) {
    return its->name == resource && its->driver == driver;
  });
}

}  // namespace

ClaimState claim_state(const StoredClaims& stored, const ResourceClaimName& claim,
                       std::string_view boot_id) {
  if (stored.unreadable.contains(claim.uid)) return ClaimState::unreadable;
  const auto found = stored.records.find(claim.uid);
  if (found == stored.records.end()) return ClaimState::none;
  const ClaimRecord& record = found->second;
  if (record.driver != claim.driver) return ClaimState::of_other_driver;
  switch (record.phase) {
    case ClaimPhase::preparing:
      return ClaimState::unfinished;
    case ClaimPhase::prepared:
      return record.boot_id == boot_id ? ClaimState::prepared : ClaimState::unfinished;
    case ClaimPhase::releasing:
      return ClaimState::releasing;
    case ClaimPhase::release_failed:
      return ClaimState::release_failed;
  }
  std::unreachable();
}

ClaimAction first_action(ClaimCall call, ClaimState state) {
  return call == ClaimCall::prepare ? action_of_prepare(state) : action_of_unprepare(state);
}

Error prepare_fault(const StoredClaims& stored, const std::string& uid, ClaimState state) {
  if (state == ClaimState::unreadable) return stored.unreadable.find(uid)->second.error;
  const ClaimRecord& record = stored.records.find(uid)->second;
  const std::string claim = claim_text(record.name_space, record.name);
  if (state == ClaimState::of_other_driver) {
    return {fmt::format("{}: the driver {} has prepared it; use one ResourceClaim for each driver",
                        claim, record.driver)};
  }
  if (state == ClaimState::releasing) {
    return {claim + ": its devices are being released; the kubelet calls again"};
  }
  return {
      fmt::format("{}: its devices cannot be released ({}); repair the cause, then delete the "
                  "Pod and create it again",
                  claim, record.failure)};
}

std::vector<std::string> exclusive_keys(const rules::ResourcePlan& resource,
                                        const inventory::UnitMembers& members) {
  std::vector<std::string> keys = inventory::exclusive_devices(resource, members);
  for (std::string& key : keys) key = printable(key, std::string::npos);
  return keys;
}

Result<void> check_unoccupied(const ClaimRecord& wanted, const StoredClaims& stored) {
  std::map<std::string_view, const RecordedDevice*> by_key;
  for (const RecordedDevice& device : wanted.devices) {
    for (const std::string& key : device.keys) by_key.emplace(key, &device);
  }
  if (by_key.empty()) return {};
  for (const auto& [uid, record] : stored.records) {
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
  for (const auto& [uid, unreadable] : stored.unreadable) {
    if (!unreadable.spec) {
      return fail(fmt::format("a device may be in use: {}, and its CDI spec is gone",
                              unreadable.error.message));
    }
    for (const auto& [key, device] : by_key) {
      const auto& devices = unreadable.spec->devices;
      if (std::ranges::find(devices, device->device) == devices.end()) continue;
      return fail("device " + device->device + ": may be in use", unreadable.error);
    }
  }
  return {};
}

std::vector<inventory::HeldUnit> held_units(const ClaimRecords& records, const rules::Plan& plan,
                                            std::string_view boot_id) {
  std::vector<inventory::HeldUnit> held;
  for (const auto& [uid, record] : records) {
    if (record.boot_id != boot_id) continue;
    std::string holder = claim_text(record.name_space, record.name);
    const bool failed = record.phase == ClaimPhase::release_failed;
    if (failed) holder += fmt::format(" (its release failed: {})", record.failure);
    for (const RecordedDevice& device : record.devices) {
      held.push_back({.name = {device.resource, device.unit},
                      .devices = device.keys,
                      .holder = holder,
                      .for_all_names = failed || !publishes(plan, record.driver, device.resource)});
    }
  }
  return held;
}

}  // namespace patchbay::driver
