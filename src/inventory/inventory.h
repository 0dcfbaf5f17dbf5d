#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "inventory/device_table.h"
#include "inventory/held_devices.h"
#include "inventory/id_assigner.h"
#include "inventory/incremental_changes.h"
#include "inventory/list_changes.h"
#include "inventory/resolution.h"
#include "inventory/shared_nodes.h"
#include "inventory/snapshot.h"
#include "inventory/unit_health.h"
#include "model/facts.h"
#include "rules/plan/plan_fwd.h"

/// Stage: from facts to units. Generation passes the facts of Host to apply(). DeviceWatch calls
/// offer(), gives the units to health::Monitor, and calls make_snapshots() with the health of the
/// units. Daemon publishes the snapshots. offer() uses claims.h, complete_units.h and id_assigner.h
/// in this order.
///
/// To add a reason for which a device is not offered:
/// - Add a Refusal (inventory/resolution.h) in the file that detects the cause.
/// - Add a row to docs/messages.md, unless the reason itself says what to do.
/// - Add a test with facts written by hand. If the order of events could change the result, let
///   ConfigDice in order_property_test.cpp write configurations that cause the refusal.
///
/// To add a value of a unit, extend Unit (inventory/snapshot.h), unit_of() in
/// inventory_snapshots.cpp, and the views in render/resource_json.cpp and
/// cli/commands/unit_tables.cpp.
namespace patchbay::inventory {

/// Matches all known facts about the host against the plan and computes the units of each resource.
///
/// apply() and remove() recompute the cached matches of one device. The result of offer() is a pure
/// function of all cached matches and of the last snapshots. If several units have the same id, the
/// unit in the last snapshot keeps the id. The result of make_snapshots() depends only on the last
/// offer(), the values of the setters, the units' health, the last snapshots and the time. The
/// order of apply() calls between two calls of make_snapshots() has no effect. No I/O. Loop thread.
class Inventory {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Shares equal facts and units with `previous`, so that a second inventory of the same host
  /// needs little memory. `previous` must live until inherit() is called.
  explicit Inventory(rules::PlanPtr plan, const Inventory* previous = nullptr);

  /// Takes over the state of `previous`. A resource gets the last snapshot and the lost units of
  /// the resource with the same name in `previous`. Call before the first make_snapshots().
  void inherit(const Inventory& previous);

  /// Stores the facts of one device. An unknown device that no rule matches is not stored, and
  /// equal facts change nothing. Incomplete facts (DeviceFacts::unread) are used only while no
  /// complete facts are known. Returns whether offer() may return another result: the facts
  /// changed, and a rule matches the device or matched the device before.
  bool apply(DeviceFactsPtr facts);
  /// Removes a device. Returns whether the device was known.
  bool remove(const std::string& key);

  /// Records when an event that changed facts was received. The next call of make_snapshots() sets
  /// Snapshot::event_time of each new Snapshot object to the earliest recorded time.
  void note_event(Time received) {
    event_time_ = std::min(received, event_time_.value_or(received));
  }

  /// Sets the online NUMA nodes; at first there are none. Offline nodes of a unit are not listed.
  /// Returns whether the nodes changed, so that make_snapshots() may return another result.
  bool set_online_nodes(std::set<int> nodes);

  /// Sets the reason why the results of a pattern are incomplete. `why` is empty if the results are
  /// complete. Returns whether the reason changed, so that make_snapshots() may return another
  /// result.
  bool set_pattern_truncation(const std::string& pattern, const std::string& why);

  /// Sets the devices (by key) and patterns that are unresponsive or unreadable. Returns whether
  /// make_snapshots() may return another result.
  bool set_unresponsive(const std::vector<Unresponsive>& all);
  [[nodiscard]] const std::vector<Unresponsive>& unresponsive() const { return unresponsive_; }
  /// Whether a resource depends on an item of unresponsive() that is only slow
  /// (Unresponsive::slow). Such an item may answer soon.
  [[nodiscard]] bool has_slow_path() const;
  /// Adds each device of the previous Inventory that is unknown here and whose key or pattern is in
  /// unresponsive(). The added devices have their previous facts. Returns the keys of the added
  /// devices. Call before inherit().
  std::vector<std::string> keep_unresponsive();

  /// Computes claims, ids and refusals over all devices, and returns the units that each resource
  /// offers, by resource. If the list of a resource is unchanged, it is the same object as in the
  /// last call. Recomputes only the changed units if no other unit depends on the changed units.
  const std::vector<MadeUnitsPtr>& offer();

  /// Sets the held units (see HeldUnit). A held unit is one that a container still has, but that
  /// the resource now offers with fewer devices or shares, or not at all. If no unit with the name
  /// of a held unit is offered, the held unit stays listed as unhealthy, even after `linger`.
  void set_held(std::span<const HeldUnit> held);

  /// Computes the snapshots of all resources from the units of the last offer() and their health.
  /// If `healths` is empty, all units are healthy. Units that are no longer offered stay listed as
  /// unhealthy for `linger`. An unchanged resource keeps the Snapshot object of the last call.
  const Resolution& make_snapshots(Time now, const Healths& healths = {});

  /// Calls offer(), and make_snapshots() with all units healthy.
  const Resolution& resolve(Time now) {
    offer();
    return make_snapshots(now);
  }

  /// The result of the last make_snapshots(), with the refusals of the last offer().
  [[nodiscard]] const Resolution& last() const { return last_; }
  [[nodiscard]] const rules::PlanPtr& plan() const { return plan_; }
  [[nodiscard]] const DeviceTable& devices() const { return devices_; }

 private:
  [[nodiscard]] std::vector<Match> match(DeviceFactsPtr& facts) const;
  /// Returns the facts of a device in the previous inventory. Null if the previous inventory lacks
  /// the device, or has incomplete facts of the device. In the result, `unread` lists the facts
  /// that this plan needs and the previous plan did not need.
  [[nodiscard]] DeviceFactsPtr known_before(const std::string& key) const;
  /// A unit that is no longer offered.
  struct Lost {
    Unit unit;
    Time since;
  };
  using LostUnits = std::map<std::string, Lost, NaturalLess>;  ///< By id.

  /// Applies only the changes in `changes_`. Returns false, and does nothing, if other units may be
  /// affected.
  bool offer_changed();
  void offer_all();
  /// Whether the last snapshot of the resource was made from the current offered list and the
  /// current values of all other inputs.
  [[nodiscard]] bool is_snapshot_current(size_t resource, std::span<const Health> healths) const;
  /// Returns the prefix and suffix that `offered` has in common with the list that the last
  /// snapshot was made from. Both are empty if the next snapshot must compare each unit.
  [[nodiscard]] CommonPrefixSuffix unchanged(size_t resource, const MadeUnits& offered,
                                             std::span<const Health> healths) const;
  void note_lost(size_t resource, const CommonPrefixSuffix& common, Time now);
  /// The units that the last snapshot offered and that `offered` lacks.
  [[nodiscard]] std::vector<Unit> missing(size_t resource, const MadeUnits& offered,
                                          const CommonPrefixSuffix& common) const;
  /// Whether another resource now offers a unit with the same id and the same first device.
  [[nodiscard]] bool is_offered_elsewhere(size_t resource, const Unit& unit) const;
  /// Drops lost units whose ids conflict with ids of offered units or shares, because ids in the
  /// kubelet's list must be unique.
  static void drop_id_conflicts(LostUnits& lost, const MadeUnits& offered);
  [[nodiscard]] std::string loss_reason(size_t resource, const Unit& unit,
                                        const Refusals& refusals) const;
  /// Whether the unit is not lost, has the members of `made` and the health `health`, and lists the
  /// NUMA nodes that are online now.
  [[nodiscard]] bool is_unchanged(const Unit& unit, const MadeUnit& made,
                                  const Health& health) const;
  [[nodiscard]] Unit unit_of(const MadeUnit& made, const Health& health) const;
  /// The lost units that a resource still lists.
  [[nodiscard]] std::vector<const Unit*> listed_lost(size_t resource,
                                                     const std::vector<UnitPtr>& units) const;
  /// If `healths` is empty, all units are healthy.
  [[nodiscard]] SnapshotPtr snapshot(size_t resource, const MadeUnits& offered,
                                     std::span<const Health> healths,
                                     const CommonPrefixSuffix& common, Time now) const;

  const Inventory* previous_;  ///< Null after inherit().
  rules::PlanPtr plan_;
  UnitCompleter completer_;
  SharedNodes shared_nodes_;
  IdAssigner id_assigner_;
  std::set<int> online_nodes_;
  /// Devices that a rule matches, and devices that a rule matched earlier, until their removal.
  DeviceTable devices_;
  /// Reasons of set_pattern_truncation(), by pattern.
  std::map<std::string, std::string> truncations_;
  std::vector<Unresponsive> unresponsive_;
  std::vector<std::vector<UnresponsivePath>>
      delayed_by_;  ///< By resource: the items of unresponsive_ that concern the resource.
  IncrementalChanges changes_;
  bool some_refused_ = false;    ///< The last offer_all() refused candidates.
  std::vector<LostUnits> lost_;  ///< By resource.
  std::set<UnitName> held_;      ///< Names of the units of set_held().
  /// By resource: the offered list that the last snapshot was made from. This list and the new
  /// offered list have a common prefix and a common suffix. The next snapshot compares only the
  /// units between this prefix and this suffix. If the list is null, the next snapshot compares
  /// each unit. The list becomes null in three cases: the resource has lost units, the online NUMA
  /// nodes change, or make_snapshots() gets non-empty healths of the resource.
  std::vector<MadeUnitsPtr> snapshot_inputs_;
  /// By resource: the snapshot of the last make_snapshots(). Before the first call of
  /// make_snapshots(): the inherited snapshot, or null.
  std::vector<SnapshotPtr> last_snapshots_;
  std::optional<Time> event_time_;  ///< Time of the first event since the last make_snapshots().
  Resolution last_;
};

}  // namespace patchbay::inventory
