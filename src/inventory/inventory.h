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
#include "inventory/id_assigner.h"
#include "inventory/incremental_changes.h"
#include "inventory/list_changes.h"
#include "inventory/resolution.h"
#include "inventory/shared_nodes.h"
#include "inventory/snapshot.h"
#include "inventory/unit_health.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// Everything known about the host, matched against the plan.
///
/// apply() and remove() recompute the cached matches of one device. What is offered is a pure
/// function of all cached matches and of the lists of the last settle(): of several units with one
/// id, the listed one stays. What becomes of the resources is a pure function of that, of the
/// units' health, of the lost units and of the time. So the order in which devices are applied
/// between two lists cannot matter. No I/O. Loop thread.
class Inventory {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Facts and units that `previous` has, too, are shared with it, so that two inventories that
  /// know the same host take little more memory than one. It lives until inherit().
  explicit Inventory(rules::PlanPtr plan, const Inventory* previous = nullptr);

  /// This plan follows that of `previous`: what resources of the same name offered last, and what
  /// they had lost, counts as offered and lost. Before the first settle().
  void inherit(const Inventory& previous);

  /// New or changed facts of one device; equal facts change nothing. Facts with DeviceFacts::unread
  /// count only while nothing else is known of the device. True: something that a rule
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
  [[nodiscard]] bool is_awaiting() const;
  /// The things of `previous`, while that is known, that this does not know and of which
  /// nothing answers: they are taken to be what they were. Returns their keys.
  std::vector<std::string> keep_unanswered();

  /// Claims, ids and refusals over all devices: the units that each resource of the plan offers
  /// from now on. The very list of the last call where it is the same. Looks at nothing but what
  /// changed, where nothing else can depend on that.
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
  [[nodiscard]] DeviceFactsPtr known_before(const std::string& key) const;
  /// A unit that was offered and is not any more.
  struct Lost {
    Unit unit;
    Time since;
  };
  using LostUnits = std::map<std::string, Lost, NaturalLess>;  ///< By id.

  /// False: something else may depend on what changed.
  bool offer_changed();
  void offer_all();
  /// Whether it was made of this list, and nothing that matters to it has changed since.
  [[nodiscard]] bool is_settled(size_t resource, std::span<const Health> healths) const;
  /// What of a resource's list is as its snapshot has it.
  [[nodiscard]] CommonPrefixSuffix unchanged(size_t resource, const MadeUnits& offered,
                                             std::span<const Health> healths) const;
  void note_lost(size_t resource, const CommonPrefixSuffix& ends, Time now);
  /// The units that were offered last and are not any more.
  [[nodiscard]] std::vector<Unit> missing(size_t resource, const MadeUnits& offered,
                                          const CommonPrefixSuffix& ends) const;
  /// Whether another resource offers the unit now: under its id, and with its first device.
  [[nodiscard]] bool is_offered_elsewhere(size_t resource, const Unit& unit) const;
  /// What is listed under an id of an offered unit is not lost: the kubelet knows an id once.
  static void drop_listed(LostUnits& lost, const MadeUnits& offered);
  [[nodiscard]] std::string loss_reason(size_t resource, const Unit& unit,
                                        const Refusals& refusals) const;
  /// Whether the unit, which was made of these members, is as it is told to be.
  [[nodiscard]] bool is_unchanged(const Unit& unit, const MadeUnit& made,
                                  const Health& health) const;
  [[nodiscard]] Unit unit_of(const MadeUnit& made, const Health& health) const;
  /// The lost units of a resource that it still lists.
  [[nodiscard]] std::vector<const Unit*> listed_lost(size_t resource,
                                                     const std::vector<UnitPtr>& units) const;
  /// `healths` may be empty: all are healthy.
  [[nodiscard]] SnapshotPtr snapshot(size_t resource, const MadeUnits& offered,
                                     std::span<const Health> healths,
                                     const CommonPrefixSuffix& ends, Time now) const;

  const Inventory* previous_;  ///< Null once inherited from.
  rules::PlanPtr plan_;
  UnitCompleter completer_;
  SharedNodes shared_nodes_;
  IdAssigner id_assigner_;
  std::set<int> online_nodes_;
  DeviceTable devices_;  ///< Those that match, and those that did and have not gone since.
  std::map<std::string, std::string> cuts_;  ///< By pattern.
  std::vector<Unanswered> unanswered_;
  std::vector<std::vector<UnresponsivePath>>
      unresponsive_;  ///< Per resource: what of that is news for it.
  IncrementalChanges changes_;
  bool some_refused_ = false;    ///< By the last look at all, units for their ids or values.
  std::vector<LostUnits> lost_;  ///< Per resource.
  /// Per resource: of which list its snapshot was made, if all of that is healthy and nothing is
  /// lost; or null.
  std::vector<MadeUnitsPtr> settled_;
  std::vector<SnapshotPtr> before_;  ///< Per resource, of the last settle() or Inventory; or null.
  Resolution last_;
};

}  // namespace patchbay::inventory
