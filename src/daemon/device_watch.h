#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/former_units.h"
#include "health/check_runner.h"
#include "health/monitor.h"
#include "host/host.h"
#include "inventory/inventory.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "loop/work_queue.h"
#include "paths/path_checker.h"
#include "rules/plan/plan_fwd.h"
#include "status/counters.h"
#include "status/pod_resources_status.h"

namespace patchbay::daemon {

/// Owns the state of one configuration: its plan, the followed part of the host, and the inventory
/// made from both. A new generation is built while the active one runs. Loop thread.
class Generation final : private host::HostListener {
 public:
  struct Callbacks {
    /// Everything that existed at the start is in the inventory, except for unresponsive paths.
    /// Called once. The callback may move this object to another owner, but must not destroy it.
    std::function<void()> ready;
    /// Called after `ready`, often: the result of Inventory::offer() may have changed.
    std::function<void()> changed;
    /// Called after `ready`: the entity with that key had an event.
    std::function<void(const std::string& key)> device_event;
  };

  /// Creates a Host for the query, which reports to the listener. It is not started.
  using MakeHost =
      std::function<std::unique_ptr<host::Host>(HostQueryPtr query, host::HostListener& listener)>;

  /// `before` is the active inventory; null: there is none. See Inventory.
  /// With `wait_for_slow` it is ready when no resource has a slow path any more. Without, some may
  /// still have one: see ResolvedResource.
  Generation(const MakeHost& make_host, rules::PlanPtr plan, const inventory::Inventory* before,
             bool wait_for_slow, Callbacks callbacks);

  /// Begins to follow the host.
  void start() { host_->start(); }
  /// Reads this device again, because its state differs from the known one.
  void refresh(const std::string& key) { host_->refresh_if_known(key); }

  [[nodiscard]] inventory::Inventory& inventory() { return inventory_; }
  [[nodiscard]] const rules::PlanPtr& plan() const { return inventory_.plan(); }
  [[nodiscard]] EventCounts event_counts() const { return host_->event_counts(); }
  [[nodiscard]] EventSources event_sources() const { return host_->event_sources(); }

 private:
  void device_seen(DeviceFactsPtr facts, std::optional<loop::Time> event_time) override;
  void device_event(const std::string& key) override {
    if (ready_) callbacks_.device_event(key);
  }
  void device_gone(const std::string& key, std::optional<loop::Time> event_time) override;
  void nodes_online(const std::set<int>& nodes) override;
  void pattern_truncated(const std::string& pattern, const std::string& why) override;
  void unresponsive(const std::vector<Unresponsive>& all) override;
  void first_scan_done() override;
  void check_ready();
  void note(bool changed, std::optional<loop::Time> event_time = {});

  inventory::Inventory inventory_;
  Callbacks callbacks_;
  const bool waits_for_slow_;
  bool scanned_ = false;
  bool ready_ = false;
  std::unique_ptr<host::Host> host_;
};

/// Keeps the offered units in step with the configuration, the host and the health of units, and
/// reports each new Resolution. The health of units is kept here, because it outlives generations.
/// Loop thread.
class DeviceWatch {
 public:
  struct Options {
    host::HostOptions host;
    size_t max_checks = health::Monitor::kMaxChecks;  ///< Maximum number of concurrent probes.
    status::Counters* counters = nullptr;             ///< Null: nothing is counted.
    /// Returns the Pods' devices; null: they are unknown. No function: they are not used.
    std::function<std::shared_ptr<const status::AssignmentsByResource>()> assignments{};
  };

  using OnResolution = std::function<void(const inventory::Resolution&)>;

  /// `on_resolution` is called when the scan for a plan is done, and whenever the result may have
  /// changed since. For the first plan, some resources may still be awaited then. Many changes in
  /// one iteration of the loop cause one call.
  ///
  /// A new unit has the initial health that its probes configure, and probes run from then on.
  /// Where the host is not followed, each probe runs once before the only call.
  DeviceWatch(loop::EventLoop& loop, loop::Inotify& inotify, Options options,
              OnResolution on_resolution);
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;

  /// The plan becomes active when the host was scanned for it; until then the previous one stays
  /// active. A newer plan replaces one that is not active yet. Resources that are equivalent in
  /// both keep their units and their health.
  void set_plan(const rules::PlanPtr& plan);

  /// Reads this device again, because its state differs from the known one.
  void refresh(const std::string& key);

  /// The result of Options::assignments may have changed.
  void assignments_changed();
  [[nodiscard]] const FormerUnits& former_units() const { return former_units_; }

  /// The inventory of the active plan. It exists from the first Resolution on.
  [[nodiscard]] const inventory::Inventory& inventory() const { return active_->inventory(); }
  [[nodiscard]] bool has_plan() const { return active_ != nullptr; }
  /// See Monitor::probes().
  [[nodiscard]] status::ProbesStatus probes(const inventory::Snapshot& snapshot, bool each) const {
    return health_.probes(*snapshot.resource, snapshot.units, each);
  }
  /// The sum of all generations.
  [[nodiscard]] EventCounts event_counts() const;
  /// The sources of the active plan.
  [[nodiscard]] EventSources event_sources() const { return active_->event_sources(); }

 private:
  void activate_next();
  void release_memory_soon();
  void resolve_soon();
  /// The health of the offered units. Units with a device that a Pod has are unhealthy.
  [[nodiscard]] inventory::Healths healths(loop::Time now);
  void resolve();

  loop::EventLoop& loop_;
  loop::Inotify& inotify_;
  host::HostOptions host_;
  status::Counters* counters_;
  OnResolution on_resolution_;
  loop::Subscription resolve_timer_;
  loop::Subscription next_change_timer_;
  loop::Subscription memory_timer_;
  loop::WorkQueue queue_;
  std::unique_ptr<health::CheckRunner> runner_;
  std::unique_ptr<paths::PathChecker> paths_;
  health::Monitor health_;
  std::function<std::shared_ptr<const status::AssignmentsByResource>()> assignments_;
  FormerUnits former_units_;
  EventCounts past_event_counts_;       ///< The sum of earlier generations.
  std::unique_ptr<Generation> active_;  ///< Null before the first is ready.
  std::unique_ptr<Generation> next_;    ///< Not ready yet.
  loop::Time next_since_;
};

}  // namespace patchbay::daemon
