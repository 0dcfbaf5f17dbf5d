#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
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
#include "host/path_checker.h"
#include "host/path_follower.h"
#include "inventory/flap_guard.h"
#include "inventory/make_unit.h"
#include "inventory/unit_health.h"
#include "loop/event_loop.h"
#include "observe/counters.h"
#include "observe/probe_status.h"
#include "rules/plan.h"

namespace patchbay::health {

/// Keeps the probes of all units that are offered running, and says how the units are. Loop thread.
class Monitor {
 public:
  static constexpr size_t kMostChecks = 8;
  /// Not everything is told: so often all paths are looked at, an eighth more or less.
  static constexpr loop::Milliseconds kPathPeriod{10'000};

  struct Options {
    size_t max_checks = kMostChecks;  ///< At once.
    /// Each probe and each path is looked at once, and its first result decides.
    bool once = false;
    /// From 0 up to 1: when probes run, within their bounds. Null: by chance.
    std::function<double()> random{};
    /// Where changes of files and paths are told; null: they are not followed.
    loop::Inotify* inotify = nullptr;
    host::HostRoot root{};                  ///< As the PathChecker's.
    observe::Counters* counters = nullptr;  ///< Null: nothing is counted.
    /// Called with a device whose node leads to another one: what is known of it may be out of
    /// date.
    std::function<void(const std::string& key)> out_of_date{};
  };

  /// `on_change`: healths() says something else of some unit than before; many changes in one turn
  /// of the loop are one call. With `once`: everything has been looked at. All outlive the monitor.
  Monitor(loop::EventLoop& loop, CheckRunner& runner, host::PathChecker& paths, Options options,
          std::function<void()> on_change);
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  ~Monitor();

  /// `offered` is what each of the resources offers from now on, and nothing else is. Probes of new
  /// units begin to run; of those that are gone or whose checks are others now, no result counts
  /// any more. A unit stays the same while its resource and id do, and its checks are equal. Does
  /// not call `on_change`.
  void follow(std::span<const rules::ResourcePlanPtr> resources,
              std::span<const inventory::MadeUnitsPtr> offered);

  /// How the units are that were offered last: by resource, in the order told.
  [[nodiscard]] inventory::Healths healths() const;

  /// How the probes of a resource's units do, of each if `each`; by the units' ids.
  [[nodiscard]] observe::ProbesStatus probes(const rules::ResourcePlan& resource,
                                             const inventory::UnitList& units, bool each) const;

  /// Something happened to the device: looks at the units that hold it at once.
  void device_event(const std::string& key);

  /// Nothing is being looked at or waits for that. With `once`, healths() says nothing before.
  [[nodiscard]] bool idle() const { return queue_.idle() && follower_.idle(); }

 private:
  struct Entry {
    std::unique_ptr<TrackedUnit> unit;
    std::shared_ptr<const inventory::UnitMembers> members;
    uint64_t round = 0;  ///< In which it was last told of.
  };
  using Units = std::unordered_map<std::string, Entry>;  ///< By resource and id.
  using Unit = Units::value_type;

  /// What one resource offers.
  struct Followed {
    rules::ResourcePlanPtr resource;
    inventory::MadeUnitsPtr offered;
    /// In the same order; null where nothing could make the unit unhealthy. Empty: nothing could
    /// make any of them so.
    std::vector<const Unit*> units;
    [[nodiscard]] const std::string& name() const { return resource->name; }
  };

  [[nodiscard]] Followed follow(const rules::ResourcePlanPtr& resource,
                                const inventory::MadeUnitsPtr& offered, const Followed* before);
  const Unit* follow(const rules::ResourcePlanPtr& resource, const inventory::MadeUnit& unit);
  void set_members(Entry& entry, std::shared_ptr<const inventory::UnitMembers> members);
  void drop(Units::iterator unit, loop::Time now);
  void changed();
  void misdirected(const TrackedUnit& unit) const;
  void ended();

  loop::EventLoop& loop_;
  Options options_;
  std::function<void()> on_change_;
  CheckQueue queue_;
  host::PathFollower follower_;
  NeededPaths paths_{follower_};
  TrackedUnit::Context context_;
  uint64_t round_ = 0;  ///< Counts the calls of follow().
  loop::Subscription soon_;
  /// Of units that were lost: their coming and going counts.
  std::map<std::string, std::unique_ptr<inventory::FlapGuard>> guards_;
  /// Who holds a device, by its key, which the entry's members keep alive.
  std::unordered_multimap<std::string_view, const Entry*> units_by_device_;
  Units units_;
  std::vector<Followed> followed_;  ///< In the order told.
};

}  // namespace patchbay::health
