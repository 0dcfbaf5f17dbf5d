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
/// CheckQueue limits how many run at once, and CheckRunner runs them.
///
/// To add a kind of probe, add:
/// - its operation in model/check.h, as a plain value;
/// - its key in config/health_reader.cpp: config/spec.h lists the steps for a key;
/// - its validation in rules/plan/probe.cpp. In probe_run.cpp, render() makes the Check for one
///   unit, and judge() judges its result. Each text has a TextUse, which rejects hostile values;
/// - its execution, with a timeout, in check_runner.cpp or a file beside it. Use
///   CheckResult::cannot_run if the result says nothing about the device, as without permission;
/// - a trigger, if the kernel reports changes: device_event() or a FileTrigger;
/// - tests with a real object that is present, absent, without permission, and hanging;
/// - the privilege that it needs, in docs/configuration.md and rules/needs/needs.cpp, with a test.
///   rules/needs/granted.cpp lists the privileges that the manifest grants.
namespace patchbay::health {

/// Runs the probes of all offered units, checks the paths that they need, and reports the health of
/// the units. Loop thread.
class Monitor {
 public:
  static constexpr size_t kMaxChecks = 8;
  /// Period of the check of each path, with the jitter of next_run(). The check is necessary
  /// because not every change causes an event.
  static constexpr loop::Milliseconds kPathPeriod{10'000};

  struct Options {
    size_t max_checks = kMaxChecks;  ///< Maximum number of concurrent probes.
    /// Whether each probe runs only once and each path is checked only once.
    bool once = false;
    /// Returns a fraction from 0 to 1 for next_run(). If null, the fraction is random.
    std::function<double()> random{};
    /// Reports changes of files and paths. If null, changes are not followed.
    loop::Inotify* inotify = nullptr;
    paths::HostRoot root{};                ///< Same root as that of the PathChecker.
    status::Counters* counters = nullptr;  ///< Null: no counters.
    /// Called for each device of a unit, with its key, when a path of the unit leads to another
    /// device. The facts of these devices may be out of date.
    std::function<void(const std::string& key)> out_of_date{};
  };

  /// `on_change` is called when the result of healths() has changed, at most once per loop
  /// iteration. With `once`, it is called when all checks have ended. `loop`, `runner` and `paths`
  /// outlive the monitor.
  Monitor(loop::EventLoop& loop, CheckRunner& runner, paths::PathChecker& paths, Options options,
          std::function<void()> on_change);
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  ~Monitor();

  /// Replaces the list of offered units of each resource. A unit whose resource, id and checks are
  /// equal keeps its probes and its health. The probes of all other units start. The probes of
  /// units that are gone or have other checks are cancelled. Does not call `on_change`.
  void follow(std::span<const rules::ResourcePlanPtr> resources,
              std::span<const inventory::MadeUnitsPtr> offered);

  /// The health of the units of each resource, in the order of follow().
  [[nodiscard]] inventory::Healths healths() const;

  /// Counts the running and overdue probes. `each` adds the state of each probe, in the order of
  /// `units`.
  [[nodiscard]] status::ProbesStatus probes(const rules::ResourcePlan& resource,
                                            const inventory::UnitList& units, bool each) const;

  /// Runs all probes and path checks of the units with that device, after an event of the device.
  void device_event(const std::string& key);

  /// Whether no check is running or queued. With `once`, healths() reports all units as healthy
  /// while a check is running or queued.
  [[nodiscard]] bool idle() const { return queue_.idle() && follower_.idle(); }

 private:
  struct Entry {
    std::unique_ptr<TrackedUnit> unit;
    std::shared_ptr<const inventory::UnitMembers> members;
    uint64_t round = 0;  ///< The last call of follow() that contained the unit.
  };
  using Units = std::unordered_map<std::string, Entry>;  ///< By resource and id.
  using Unit = Units::value_type;

  /// The offered units of one resource.
  struct Followed {
    rules::ResourcePlanPtr resource;
    inventory::MadeUnitsPtr offered;
    /// In the order of `offered`. Null for a unit without checks. Empty if no unit has checks.
    std::vector<const Unit*> units;
    [[nodiscard]] const std::string& name() const { return resource->name; }
  };

  [[nodiscard]] Followed follow(const rules::ResourcePlanPtr& resource,
                                const inventory::MadeUnitsPtr& offered, const Followed* before);
  const Unit* follow(const rules::ResourcePlanPtr& resource, const inventory::MadeUnit& unit);
  void set_members(Entry& entry, std::shared_ptr<const inventory::UnitMembers> members);
  void drop(Units::iterator unit);
  void changed();
  /// Calls Options::out_of_date for all devices of the unit.
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
