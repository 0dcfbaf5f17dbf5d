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

/// Owns the state of one configuration: the plan, the Host that follows the devices of the plan,
/// and the Inventory of these devices. After an edit, a new generation scans while the previous one
/// is still active. Loop thread.
class Generation final : private host::HostListener {
 public:
  struct Callbacks {
    /// Called once, when the first scan is done: all devices are in the inventory, except for
    /// unresponsive paths. The callback may move this object to another owner, but must not destroy
    /// this object.
    std::function<void()> ready;
    /// Called after `ready`, when the result of Inventory::offer() may have changed. Called often.
    std::function<void()> changed;
    /// Called after `ready`, for an event of the device with that key.
    std::function<void(const std::string& key)> device_event;
  };

  /// Creates a Host. After Host::start(), it reports the devices of the query to the listener.
  using MakeHost =
      std::function<std::unique_ptr<host::Host>(HostQueryPtr query, host::HostListener& listener)>;

  /// `before` is the inventory of the active generation, or null: see Inventory. With
  /// `wait_for_slow`, the generation is not ready while a resource waits for a slow path. Without
  /// `wait_for_slow`, such resources are incomplete: see ResolvedResource::has_slow_path().
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

/// Computes the units of all resources, and reports a new Resolution when the plan, the devices or
/// the health of units have changed. Owns the generations and the probes. Probes outlive
/// generations. Loop thread.
class DeviceWatch {
 public:
  struct Options {
    host::HostOptions host;
    size_t max_checks = health::Monitor::kMaxChecks;  ///< Maximum number of concurrent probes.
    status::Counters* counters = nullptr;             ///< Null: nothing is counted.
    /// Returns the devices of the Pods, or null if they are unknown. If the function is empty, Pods
    /// are ignored.
    std::function<std::shared_ptr<const status::AssignmentsByResource>()> assignments{};
    /// Returns the units of ResourceClaims that the plan must not give away.
    std::function<std::vector<inventory::HeldUnit>(const rules::Plan&)> claimed{};
  };

  using OnResolution = std::function<void(const inventory::Resolution&)>;

  /// `on_resolution` is called when the scan for a plan is done, and each time the result may have
  /// changed after that. Many changes in one iteration of the loop cause one call. With the first
  /// plan, some resources may still wait for slow paths at that time.
  ///
  /// The probes of a unit run from its first Resolution on. With `HostOptions::watch` false,
  /// `on_resolution` is called only after each probe has run once.
  DeviceWatch(loop::EventLoop& loop, loop::Inotify& inotify, Options options,
              OnResolution on_resolution);
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;

  /// Scans the host for the plan, and then makes the plan active. During the scan, the previous
  /// plan stays active. A further call during the scan replaces the waiting plan. Resources that
  /// are equivalent in both plans keep their units and their health.
  void set_plan(const rules::PlanPtr& plan);

  /// Reads this device again, because its state differs from the known one.
  void refresh(const std::string& key);

  /// Notes that the result of Options::assignments may have changed.
  void assignments_changed();
  /// Notes that the result of Options::claimed may have changed.
  void claims_changed() {
    if (active_) resolve_soon();
  }
  [[nodiscard]] const FormerUnits& former_units() const { return former_units_; }

  /// The inventory of the active plan. It exists from the first Resolution on.
  [[nodiscard]] const inventory::Inventory& inventory() const { return active_->inventory(); }
  [[nodiscard]] bool has_plan() const { return active_ != nullptr; }
  /// See Monitor::probes().
  [[nodiscard]] status::ProbesStatus probes(const inventory::Snapshot& snapshot, bool each) const {
    return health_.probes(*snapshot.resource, snapshot.units, each);
  }
  /// The sum over all generations.
  [[nodiscard]] EventCounts event_counts() const;
  /// The sources of the active plan.
  [[nodiscard]] EventSources event_sources() const { return active_->event_sources(); }

 private:
  void activate_next();
  void release_memory_soon();
  void resolve_soon();
  /// The health of the offered units, after FormerUnits::withhold().
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
  std::function<std::vector<inventory::HeldUnit>(const rules::Plan&)> claimed_;
  FormerUnits former_units_;
  EventCounts past_event_counts_;       ///< The sum over earlier generations.
  std::unique_ptr<Generation> active_;  ///< Null before the first one is ready.
  std::unique_ptr<Generation> next_;    ///< The one that is not ready yet, or null.
  loop::Time next_since_;
};

}  // namespace patchbay::daemon
