#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "health/check_queue.h"
#include "health/check_runner.h"
#include "health/needed_paths.h"
#include "health/tracked_unit.h"
#include "inventory/make_unit.h"
#include "inventory/unit_health.h"
#include "loop/event_loop.h"
#include "paths/path_checker.h"
#include "paths/path_follower.h"
#include "rules/plan/plan.h"
#include "status/counters.h"
#include "status/node_status.h"

/// Stage: from units to their health. DeviceWatch calls follow() after each Inventory::offer(), and
/// gives healths() to Inventory::make_snapshots(). TrackedUnit has the probes of one unit,
/// CheckQueue limits how many run, and CheckRunner runs them.
///
/// To add a kind of probe:
/// - model/check.h: the operation, as a plain value;
/// - its key in config/health_reader.cpp: config/spec.h lists the steps for a key;
/// - rules/plan/probe.cpp validates it. In probe_run.cpp, render() fills it for one unit, and
///   judge() judges its result. Each text has a TextUse, which keeps hostile values out;
/// - check_runner.cpp, or a file beside it, runs it until its timeout. CheckResult::cannot_run
///   means that the result says nothing about the device, such as a missing permission;
/// - if the kernel reports changes, an event starts it: device_event(), or a FileTrigger;
/// - tests with the real object: present, absent, without permission, hanging;
/// - docs/configuration.md has its privilege. rules/needs/needs.cpp has its needs, with a test;
///   rules/needs/granted.cpp lists what the manifest grants.
namespace patchbay::health {

/// Runs the probes of all offered units, checks the paths that they need, and reports the health of
/// the units. Loop thread.
class Monitor {
 public:
  static constexpr size_t kMaxChecks = 8;
  /// Period of the check of all paths, with a jitter of ±1/16 of the period. The check is
  /// necessary because not every change causes an event.
  static constexpr loop::Milliseconds kPathPeriod{10'000};

  struct Options {
    size_t max_checks = kMaxChecks;  ///< Checks at the same time.
    /// Runs each probe and checks each path once; the first result decides.
    bool once = false;
    /// Returns the fraction, from 0 up to 1, that sets the jitter of probes and path checks. Null:
    /// a random number.
    std::function<double()> random{};
    /// Reports changes of files and paths. Null: they are not followed.
    loop::Inotify* inotify = nullptr;
    paths::HostRoot root{};                ///< Same root as that of the PathChecker.
    status::Counters* counters = nullptr;  ///< Null: no counters.
    /// Called for each device of a unit if a path of the unit now leads to another device. The
    /// device's facts may be out of date.
    std::function<void(const std::string& key)> out_of_date{};
  };

  /// `on_change` is called when the result of healths() has changed, at most once per loop
  /// iteration. With `once`: when every check has finished. All references outlive the monitor.
  Monitor(loop::EventLoop& loop, CheckRunner& runner, paths::PathChecker& paths, Options options,
          std::function<void()> on_change);
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  ~Monitor();

  /// Replaces the offered units, by resource. The probes of new units start. Results for units that
  /// are gone, or whose checks changed, are ignored. A unit stays the same if its resource, id and
  /// checks are equal. Does not call `on_change`.
  void follow(std::span<const rules::ResourcePlanPtr> resources,
              std::span<const inventory::MadeUnitsPtr> offered);

  /// The health of the followed units, by resource, in the order of follow().
  [[nodiscard]] inventory::Healths healths() const;

  /// The state of the probes of a resource. `each`: also of each probe, grouped by unit
  /// in the order of `units`.
  [[nodiscard]] status::ProbesStatus probes(const rules::ResourcePlan& resource,
                                            const inventory::UnitList& units, bool each) const;

  /// An event of the device occurred: checks at once all units that contain the device.
  void device_event(const std::string& key);

  /// Whether no check is running or due to run. With `once`, healths() reports
  /// all units as healthy until this is true.
  [[nodiscard]] bool idle() const { return queue_.idle() && follower_.idle(); }

 private:
  struct Entry {
    std::unique_ptr<TrackedUnit> unit;
    std::shared_ptr<const inventory::UnitMembers> members;
    uint64_t round = 0;  ///< The last call of follow() that contained it.
  };
  using Units = std::unordered_map<std::string, Entry>;  ///< By resource and id.
  using Unit = Units::value_type;

  /// The offer of one resource.
  struct Followed {
    rules::ResourcePlanPtr resource;
    inventory::MadeUnitsPtr offered;
    /// In the order of `offered`. Null element: that unit cannot become unhealthy. Empty: none can.
    std::vector<const Unit*> units;
    [[nodiscard]] const std::string& name() const { return resource->name; }
  };

  [[nodiscard]] Followed follow(const rules::ResourcePlanPtr& resource,
                                const inventory::MadeUnitsPtr& offered, const Followed* before);
  const Unit* follow(const rules::ResourcePlanPtr& resource, const inventory::MadeUnit& unit);
  void set_members(Entry& entry, std::shared_ptr<const inventory::UnitMembers> members);
  void drop(Units::iterator unit);
  void changed();
  /// A path of the unit leads to another device: the facts of all its devices may be stale.
  void path_target_changed(const TrackedUnit& unit) const;
  void ended();

  loop::EventLoop& loop_;
  Options options_;
  std::function<void()> on_change_;
  CheckQueue queue_;
  paths::PathFollower follower_;
  NeededPaths paths_{follower_};
  TrackedUnit::Context context_;
  uint64_t round_ = 0;       ///< Number of calls of follow().
  loop::Subscription soon_;  ///< The next call of on_change_.
  /// The units of a device, by its key. The entry's members keep the key alive.
  std::unordered_multimap<std::string_view, const Entry*> units_by_device_;
  Units units_;
  std::vector<Followed> followed_;  ///< In the order of follow().
};

}  // namespace patchbay::health
