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

/// Stage: from facts to units. Generation applies the facts of Host. DeviceWatch calls offer(),
/// gives the units to health::Monitor, and calls make_snapshots() with their health. Daemon
/// publishes the snapshots. offer() uses claims.h, then complete_units.h and id_assigner.h.
///
/// To add a reason for which a device is not offered:
/// - a Refusal (inventory/resolution.h) in the step that has the cause;
/// - its row in docs/messages.md, unless the reason itself says what to do;
/// - a test with facts written by hand. If another order of events could change the result, also a
///   key in the configurations of order_property_test.cpp.
///
/// To add a value of a unit: Unit (inventory/snapshot.h), unit_of() in inventory_snapshots.cpp, and
/// the views: render/resource_json.cpp, cli/commands/unit_tables.cpp.
namespace patchbay::inventory {

/// Matches all known facts about the host against the plan and computes the units of each resource.
///
/// apply() and remove() recompute the cached matches of one device. The offer is a pure function of
/// all cached matches and of the last lists. If several units have the same id, the one in the last
/// list keeps it. The result of make_snapshots() is a pure function of the offer, the values of the
/// setters, the units' health, the last snapshots and the time. So the order of apply() calls
/// between two calls of make_snapshots() does not matter. No I/O. Loop thread.
class Inventory {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Shares equal facts and units with `previous`, so that a second inventory of the same host
  /// needs little memory. `previous` must live until inherit().
  explicit Inventory(rules::PlanPtr plan, const Inventory* previous = nullptr);

  /// Takes over the state of `previous`: resources of the same name keep their last list and their
  /// lost units. Call before the first make_snapshots().
  void inherit(const Inventory& previous);

  /// Stores the facts of one device. An unknown device that no rule matches is not stored, and
  /// equal facts change nothing. Facts with DeviceFacts::unread are used only while no complete
  /// facts are known. Returns whether offer() may return another result: the facts changed, and a
  /// rule matches the device or did before.
  bool apply(DeviceFactsPtr facts);
  /// Removes the device. Returns whether it was known.
  bool remove(const std::string& key);

  /// Records when an event that changed facts was received. The next snapshots get the earliest
  /// time so recorded as Snapshot::event_time.
  void note_event(Time received) {
    event_time_ = std::min(received, event_time_.value_or(received));
  }

  /// Sets the online NUMA nodes; at first there are none. Offline nodes of a unit are not listed.
  /// Returns whether the nodes changed, so that make_snapshots() may return another result.
  bool set_online_nodes(std::set<int> nodes);

  /// Sets the reason why the results of a pattern are incomplete. `why` is empty if they are
  /// complete. Returns whether the reason changed, so that make_snapshots() may return another
  /// result.
  bool set_pattern_truncation(const std::string& pattern, const std::string& why);

  /// Sets the devices (by key) and patterns that are unresponsive or unreadable. Returns whether
  /// this changes a resource.
  bool set_unresponsive(const std::vector<Unresponsive>& all);
  [[nodiscard]] const std::vector<Unresponsive>& unresponsive() const { return unresponsive_; }
  /// Whether a resource still waits for a slow key or pattern.
  [[nodiscard]] bool has_slow_path() const;
  /// Adds those devices of the previous Inventory that are unknown here and have a key or pattern
  /// in unresponsive(). Their previous facts are used. Returns their keys. Call before inherit().
  std::vector<std::string> keep_unresponsive();

  /// Computes claims, ids and refusals over all devices, and returns the units that each resource
  /// offers, by resource. An unchanged list is the same object as in the last call. Recomputes only
  /// the changed units if nothing else depends on them.
  const std::vector<MadeUnitsPtr>& offer();

  /// Sets the held units. A held unit stays listed as unhealthy, even after `linger`.
  void set_held(std::span<const HeldUnit> held);

  /// Computes the resources from the units of the last offer() and their health. If `healths` is
  /// empty, all units are healthy. Units that are no longer offered stay listed as unhealthy for
  /// `linger`. An unchanged resource keeps the Snapshot object of the last call.
  const Resolution& make_snapshots(Time now, const Healths& healths = {});

  /// offer() and make_snapshots() with all units healthy.
  const Resolution& resolve(Time now) {
    offer();
    return make_snapshots(now);
  }

  /// The result of the last make_snapshots(). offer() updates its refusals.
  [[nodiscard]] const Resolution& last() const { return last_; }
  [[nodiscard]] const rules::PlanPtr& plan() const { return plan_; }
  [[nodiscard]] const DeviceTable& devices() const { return devices_; }

 private:
  [[nodiscard]] std::vector<Match> match(DeviceFactsPtr& facts) const;
  /// The facts that the previous inventory has of a device, if they were all read. Facts that only
  /// this plan needs are marked as unread. Null if the previous inventory has no such facts.
  [[nodiscard]] DeviceFactsPtr known_before(const std::string& key) const;
  /// A unit that is no longer offered.
  struct Lost {
    Unit unit;
    Time since;
  };
  using LostUnits = std::map<std::string, Lost, NaturalLess>;  ///< By id.

  /// Applies only the collected changes. Returns false, and does nothing, if other units may be
  /// affected.
  bool offer_changed();
  void offer_all();
  /// Whether the last snapshot was made from the current offer, and its other inputs are the same.
  [[nodiscard]] bool is_snapshot_current(size_t resource, std::span<const Health> healths) const;
  /// Compares the offered list with the list that the last snapshot was made from.
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
  /// Whether the unit already has these members, checks, health and online NUMA nodes.
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
  DeviceTable devices_;  ///< Devices with a match, and devices that had one and still exist.
  /// Reasons of set_pattern_truncation(), by pattern.
  std::map<std::string, std::string> truncations_;
  std::vector<Unresponsive> unresponsive_;
  std::vector<std::vector<UnresponsivePath>>
      delayed_by_;  ///< By resource: the items of unresponsive_ that concern it.
  IncrementalChanges changes_;
  bool some_refused_ = false;    ///< The last offer_all() refused candidates.
  std::vector<LostUnits> lost_;  ///< By resource.
  std::set<UnitName> held_;      ///< Names of the units of set_held().
  /// By resource: the offer of the last snapshot. If it is null, the next snapshot compares each
  /// unit.
  std::vector<MadeUnitsPtr> snapshot_inputs_;
  /// By resource, of the last make_snapshots() or of the previous Inventory; may be null.
  std::vector<SnapshotPtr> last_snapshots_;
  std::optional<Time> event_time_;  ///< Time of the first event since the last make_snapshots().
  Resolution last_;
};

}  // namespace patchbay::inventory
