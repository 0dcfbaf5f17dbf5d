#pragma once

#include <chrono>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/facts.h"
#include "inventory/device_table.h"
#include "inventory/health_source.h"
#include "inventory/identify.h"
#include "inventory/resolution.h"
#include "inventory/snapshot.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// Everything known about the host, matched against the plan.
///
/// apply() and remove() recompute the cached matches of one device; resolve() is a pure function of
/// all cached matches, the units that were lost, and the time: the order in which the devices were
/// told cannot matter. How the units are, somebody else says. No I/O. Loop thread.
class Inventory {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Inventory(rules::PlanPtr plan);
  /// For a plan that follows another: what resources of the same name offered last, and what they
  /// had lost, counts as offered and lost. The devices are to be told anew.
  Inventory(rules::PlanPtr plan, const Inventory& previous);

  /// New or changed facts of one device; equal facts change nothing. True: something that a rule
  /// looks at changed, so resolve() may answer differently.
  bool apply(DeviceFactsPtr facts);
  /// The device is gone. True as above.
  bool remove(const std::string& key);

  /// The NUMA nodes that are online, none before it is called: units are on these only. True: they
  /// changed, so resolve() may answer differently.
  bool set_online_nodes(std::set<int> nodes);

  /// Why a pattern does not find all that it matches; empty: it does. True: that is news, so
  /// resolve() may answer differently.
  bool set_pattern_cut(const std::string& pattern, const std::string& why);

  /// Claims, ids and refusals over all devices; units that were offered by the last call and are
  /// not any more stay as unhealthy until `linger` has passed. A resource in which nothing changed
  /// keeps the very Snapshot (same pointer) of the last call. Without `health` all that is offered
  /// is healthy.
  const Resolution& resolve(Time now, HealthSource* health = nullptr);

  [[nodiscard]] const Resolution& last() const { return last_; }
  [[nodiscard]] const rules::PlanPtr& plan() const { return plan_; }
  [[nodiscard]] const DeviceTable& devices() const { return devices_; }
  /// How many devices some group matches.
  [[nodiscard]] size_t matched_devices() const;

 private:
  /// A unit that was offered and is not any more.
  struct Lost {
    Unit unit;
    Time since;
  };
  using LostUnits = std::map<std::string, Lost, NaturalLess>;  ///< By id.

  void note_lost(size_t resource, const Offered& offered, const std::vector<Refusal>& refusals,
                 Time now);
  /// The units that were offered last and are not any more.
  [[nodiscard]] std::vector<Unit> missing(size_t resource, const MadeUnits& offered) const;
  /// What is listed under an id of an offered unit is not lost: the kubelet knows an id once.
  static void drop_listed(LostUnits& lost, const MadeUnits& offered);
  [[nodiscard]] std::string loss_reason(size_t resource, const Unit& unit,
                                        const std::vector<Refusal>& refusals) const;
  /// Whether that many units, none of them lost, are as these are told to be.
  [[nodiscard]] bool are_still(std::span<const Unit> units, const MadeUnits& offered,
                               std::span<const Health> healths) const;
  [[nodiscard]] Unit unit_of(const MadeUnit& made, const Health& health) const;
  [[nodiscard]] std::vector<Unit> with_lost(size_t resource, std::vector<Unit> units) const;
  [[nodiscard]] SnapshotPtr snapshot(size_t resource, const MadeUnits& offered,
                                     std::span<const Health> healths, Time now) const;

  rules::PlanPtr plan_;
  UnitCompleter completer_;
  Identifier identifier_;
  std::set<int> online_nodes_;
  DeviceTable devices_;  ///< Those that match, and those that did and have not gone since.
  std::map<std::string, std::string> cuts_;  ///< By pattern.
  std::vector<LostUnits> lost_;              ///< Per resource.
  std::vector<SnapshotPtr> before_;  ///< Per resource, of the last resolve() or Inventory; or null.
  Resolution last_;
};

}  // namespace patchbay::inventory
