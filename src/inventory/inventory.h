#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/facts.h"
#include "inventory/device_table.h"
#include "inventory/identify.h"
#include "inventory/resolution.h"
#include "inventory/snapshot.h"
#include "inventory/unit_health.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// Everything known about the host, matched against the plan.
///
/// apply() and remove() recompute the cached matches of one device; what is offered is a pure
/// function of all cached matches, and what becomes of the resources one of that, of how the units
/// are, of the units that were lost and of the time: the order in which the devices were told
/// cannot matter. No I/O. Loop thread.
class Inventory {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Facts and units that `previous` has, too, are shared with it, so that two inventories that
  /// know the same host take little more memory than one. It lives until inherit().
  explicit Inventory(rules::PlanPtr plan, const Inventory* previous = nullptr);

  /// This plan follows that of `previous`: what resources of the same name offered last, and what
  /// they had lost, counts as offered and lost. Before the first settle().
  void inherit(const Inventory& previous);

  /// New or changed facts of one device; equal facts change nothing. True: something that a rule
  /// looks at changed, so offer() may answer differently.
  bool apply(DeviceFactsPtr facts);
  /// The device is gone. True as above.
  bool remove(const std::string& key);

  /// The NUMA nodes that are online, none before it is called: units are on these only. True: they
  /// changed, so offer() may answer differently.
  bool set_online_nodes(std::set<int> nodes);

  /// Why a pattern does not find all that it matches; empty: it does. True: that is news, so
  /// resolve() may answer differently.
  bool set_pattern_cut(const std::string& pattern, const std::string& why);

  /// All that does not answer. True: that is news for some resource.
  bool set_unanswered(const std::vector<Unanswered>& all);
  [[nodiscard]] const std::vector<Unanswered>& unanswered() const { return unanswered_; }
  /// Whether what some resource may have is waited for yet.
  [[nodiscard]] bool is_waited_for() const;
  /// The things of `previous`, while that is known, that this does not know and of which
  /// nothing answers: they are taken to be what they were. Returns their keys.
  std::vector<std::string> keep_unanswered();

  /// Claims, ids and refusals over all devices: the units that each resource of the plan offers
  /// from now on. The very list of the last call where it is the same.
  const std::vector<MadeUnitsPtr>& offer();

  /// What becomes of the resources when the units of the last offer() are so; all healthy, if
  /// `healths` is empty. Units that were offered by the offer before and are not any more stay as
  /// unhealthy until `linger` has passed. A resource in which nothing changed keeps the very
  /// Snapshot (same pointer) of the last call.
  const Resolution& settle(Time now, const Healths& healths = {});

  /// Both, where nobody looks how the units are.
  const Resolution& resolve(Time now) {
    offer();
    return settle(now);
  }

  /// Of the last settle().
  [[nodiscard]] const Resolution& last() const { return last_; }
  [[nodiscard]] const rules::PlanPtr& plan() const { return plan_; }
  [[nodiscard]] const DeviceTable& devices() const { return devices_; }
  /// How many devices some group matches.
  [[nodiscard]] size_t matched_devices() const;

 private:
  [[nodiscard]] std::vector<Match> match(DeviceFactsPtr& facts) const;
  /// A unit that was offered and is not any more.
  struct Lost {
    Unit unit;
    Time since;
  };
  using LostUnits = std::map<std::string, Lost, NaturalLess>;  ///< By id.

  void note_lost(size_t resource, const Refusals& refusals, Time now);
  /// The units that were offered last and are not any more.
  [[nodiscard]] std::vector<Unit> missing(size_t resource, const MadeUnits& offered) const;
  /// What is listed under an id of an offered unit is not lost: the kubelet knows an id once.
  static void drop_listed(LostUnits& lost, const MadeUnits& offered);
  [[nodiscard]] std::string loss_reason(size_t resource, const Unit& unit,
                                        const Refusals& refusals) const;
  /// Whether that many units, none of them lost, are as these are told to be.
  [[nodiscard]] bool are_still(std::span<const Unit> units, const MadeUnits& offered,
                               std::span<const Health> healths) const;
  [[nodiscard]] Unit unit_of(const MadeUnit& made, const Health& health) const;
  [[nodiscard]] std::vector<Unit> with_lost(size_t resource, std::vector<Unit> units) const;
  [[nodiscard]] SnapshotPtr snapshot(size_t resource, const MadeUnits& offered,
                                     std::span<const Health> healths, Time now) const;

  const Inventory* previous_;  ///< Null once inherited from.
  rules::PlanPtr plan_;
  UnitCompleter completer_;
  Identifier identifier_;
  std::set<int> online_nodes_;
  DeviceTable devices_;  ///< Those that match, and those that did and have not gone since.
  std::map<std::string, std::string> cuts_;  ///< By pattern.
  std::vector<Unanswered> unanswered_;
  std::vector<std::vector<Pending>> pending_;  ///< Per resource: what of that is news for it.
  std::optional<Offered> offered_;             ///< By the last offer().
  std::vector<LostUnits> lost_;                ///< Per resource.
  std::vector<SnapshotPtr> before_;  ///< Per resource, of the last settle() or Inventory; or null.
  Resolution last_;
};

}  // namespace patchbay::inventory
