#include "cli/commands/unit_changes.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/text.h"
#include "cli/commands/host_discovery.h"
#include "cli/commands/status_client.h"
#include "cli/commands/status_fields.h"
#include "daemon/configuration.h"
#include "inventory/held_devices.h"

namespace patchbay::cli {
namespace {

/// The state of a resource.
struct Offer {
  rules::ResourcePlanPtr resource;
  inventory::UnitList units;
  inventory::Refusals refusals;
};
using Offers = std::map<std::string, Offer>;  ///< By resource name.

Result<Offers> offers_of(const rules::PlanPtr& plan, const HostCommandOptions& host) {
  const auto options = host_options(host, *plan, false);
  if (!options) return std::unexpected(options.error());
  Offers offers;
  bool answered = false;
  bool pending = false;
  const auto end =
      run_discovery(daemon::plan_for_this_node(without_probes(plan), options->root), *options,
                    [&](const inventory::Inventory& inventory) {
                      answered = true;
                      for (const auto& resource : inventory.last().resources) {
                        offers[resource.name()] = {resource.snapshot->resource,
                                                   resource.snapshot->units, resource.refusals};
                        pending = pending || !resource.unresponsive.empty();
                      }
                      return false;
                    });
  if (!end) return std::unexpected(end.error());
  if (!answered) return fail("stopped before the devices were known");
  if (pending) return fail("some devices do not answer; patchbay discover names them");
  return offers;
}

/// The units that containers have, by the status of this machine's daemon: "Pod lab/p" by name.
/// Empty if no daemon answers.
std::map<inventory::UnitName, std::string> unit_holders() {
  const auto address = address_of({});
  const auto body =
      address ? ask_daemon(*address, "/status?refused=false") : std::unexpected(address.error());
  const Json status = body ? Json::parse(*body, nullptr, false) : Json();
  std::map<inventory::UnitName, std::string> holders;
  for (const Json& resource : field_at(status, "resources")) {
    for (const Json& unit : field_at(resource, "units")) {
      const inventory::UnitName name(text_at(resource, "name"), text_at(unit, "id"));
      const Json& containers = field_at(unit, "allocatedTo");
      if (!containers.empty()) {
        const Json& first = *containers.begin();
        holders[name] = fmt::format("Pod {}/{}", printable(text_at(first, "namespace")),
                                    printable(text_at(first, "pod")));
      } else if (!text_at(unit, "lastAllocateTime").empty()) {
        holders[name] = "a Pod";  // The kubelet has not reported it yet.
      }
    }
  }
  return holders;
}

/// As the daemon does after the edit: sets the units to unhealthy that have a device which a
/// container has under another name.
void withhold(const Offers& before, Offers& now) {
  std::vector<inventory::HeldUnit> held;
  const auto holders = unit_holders();
  for (const auto& [resource, offer] : before) {
    for (const inventory::Unit& unit : offer.units) {
      const auto holder = holders.find({resource, unit.id});
      if (holder == holders.end()) continue;
      held.push_back({.name = holder->first,
                      .shares = std::min<size_t>(unit.shares, 1),  // The id in use is unknown.
                      .devices = inventory::exclusive_devices(*offer.resource, *unit.members),
                      .holder = holder->second});
    }
  }
  const inventory::HeldDevices index(held);
  for (auto& [name, offer] : now) {
    inventory::UnitList units;
    for (inventory::Unit unit : offer.units) {
      const auto reason =
          index.reason_of(*offer.resource, *unit.members, {name, unit.id}, unit.shares);
      if (!reason.empty()) {
        unit.reason = unit.healthy ? reason : reason + "; " + unit.reason;
        unit.healthy = false;
      }
      units.push_back(std::move(unit));
    }
    offer.units = std::move(units);
  }
}

/// The ids that the kubelet can allocate.
std::set<std::string, NaturalLess> ids_of(const inventory::UnitList& units) {
  std::set<std::string, NaturalLess> ids;
  for (const inventory::Unit& unit : units) {
    for (size_t share = 0; unit.healthy && share < unit.listed(); ++share) {
      ids.insert(unit.shares == 0 ? unit.id : unit.listed_id(share));
    }
  }
  return ids;
}

/// If the edit gives the id of a unit to a second device, a daemon keeps the unit, and its next
/// start refuses both.
const inventory::Refusal* later_refusal(const inventory::Unit& unit,
                                        const inventory::Refusals& refusals) {
  if (std::ranges::count(refusals, unit.id, &inventory::Refusal::id) < 2) return nullptr;
  const auto own = std::ranges::find_if(refusals, [&](const inventory::Refusal& refusal) {
    return refusal.id == unit.id && refusal.device == unit.members->devices.front().facts->key;
  });
  return own == refusals.end() ? nullptr : &*own;
}

UnitChanges compare(const Offer& before, const Offer& now) {
  const auto old_ids = ids_of(before.units);
  auto new_ids = ids_of(now.units);
  UnitChanges changes;
  std::map<std::string, std::vector<std::string>> unhealthy;  // By reason.
  for (const inventory::Unit& unit : now.units) {
    const auto same = inventory::find_unit(before.units, unit.id);
    if (unit.healthy || (same != before.units.end() && !same->healthy)) continue;
    unhealthy[unit.reason].push_back(unit.id);
  }
  for (const inventory::Unit& unit : before.units) {
    const auto* const refusal = later_refusal(unit, now.refusals);
    if (refusal == nullptr) continue;
    new_ids.merge(ids_of({unit}));
    changes.reasons.push_back(
        fmt::format("{}: a daemon keeps it, but its next start refuses both devices: {}", unit.id,
                    refusal->reason));
  }
  for (const auto& [reason, ids] : unhealthy) {
    changes.reasons.push_back(fmt::format("{}: {}", join(ids, ", "), reason));
  }
  std::ranges::set_difference(new_ids, old_ids, std::back_inserter(changes.added), NaturalLess{});
  std::ranges::set_difference(old_ids, new_ids, std::back_inserter(changes.removed), NaturalLess{});
  return changes;
}

}  // namespace

rules::PlanPtr without_probes(const rules::PlanPtr& plan) {
  auto out = std::make_shared<rules::Plan>(*plan);
  for (rules::ResourcePlanPtr& resource : out->resources) {
    auto bare = std::make_shared<rules::ResourcePlan>(*resource);
    for (rules::GroupPlan& group : bare->groups) group.health.clear();
    resource = std::move(bare);
  }
  return out;
}

Result<std::map<std::string, UnitChanges>> unit_changes(const rules::PlanPtr& before,
                                                        const rules::PlanPtr& now,
                                                        const HostCommandOptions& host) {
  auto old_offers = offers_of(before, host);
  if (!old_offers) return std::unexpected(old_offers.error());
  auto new_offers = offers_of(now, host);
  if (!new_offers) return std::unexpected(new_offers.error());
  if (host.machine.empty()) withhold(*old_offers, *new_offers);
  for (const auto& [name, offer] : *old_offers) (*new_offers)[name];
  std::map<std::string, UnitChanges> changes;
  for (const auto& [name, offer] : *new_offers) {
    changes[name] = compare((*old_offers)[name], offer);
  }
  std::erase_if(changes, [](const auto& change) {
    const auto& [added, removed, reasons] = change.second;
    return added.empty() && removed.empty() && reasons.empty();
  });
  return changes;
}

}  // namespace patchbay::cli
