#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "daemon/generation.h"
#include "health/check_runner.h"
#include "health/monitor.h"
#include "host/host.h"
#include "host/path_checker.h"
#include "inventory/inventory.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "loop/work_threads.h"
#include "observe/counters.h"
#include "rules/plan.h"

namespace patchbay::daemon {

/// Keeps what is offered in step with the configuration, the host, and the health of units, and
/// tells each new Resolution. The health of units is kept here: it outlives generations. Loop
/// thread.
class DeviceWatch {
 public:
  struct Options {
    host::HostOptions host;
    size_t max_checks = health::Monitor::kMostChecks;  ///< At once.
    observe::Counters* counters = nullptr;             ///< Null: nothing is counted.
  };

  /// `event_time`: when the first of the events was heard that may have led to it; none: it was
  /// none.
  using OnResolution =
      std::function<void(const inventory::Resolution&, std::optional<loop::Time> event_time)>;

  /// `on_resolution` is called when all is known that was there when a plan was set, of the first
  /// plan but for resources that are waited for, and whenever something may have changed since;
  /// many changes in one turn of the loop are one call. Units are what their probes say initially,
  /// and probes run from then on; where the host is not followed, each has run once before the only
  /// call.
  DeviceWatch(loop::EventLoop& loop, loop::Inotify& inotify, Options options,
              OnResolution on_resolution);
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;
  ~DeviceWatch();

  /// From when the host has been looked at for it, this plan holds; until then the one before does.
  /// A plan that comes meanwhile takes the place of one that does not hold yet. Resources that mean
  /// the same in both keep their units as they are, with their health.
  Result<void> set_plan(const rules::PlanPtr& plan);

  /// Somebody found that this device is not what it was.
  void refresh(const std::string& key);

  /// Of the plan that holds; there is one from the first Resolution on.
  [[nodiscard]] const inventory::Inventory& inventory() const { return active_->inventory(); }
  [[nodiscard]] bool has_plan() const { return active_ != nullptr; }
  /// See Monitor::probes().
  [[nodiscard]] observe::ProbesStatus probes(const inventory::Snapshot& snapshot, bool each) const {
    return health_.probes(*snapshot.resource, snapshot.units, each);
  }
  /// Of all generations.
  [[nodiscard]] EventCounts event_counts() const;
  /// Of the plan that holds.
  [[nodiscard]] EventSources event_sources() const { return active_->event_sources(); }

 private:
  void activate_next();
  void release_memory_soon();
  void resolve_soon(std::optional<loop::Time> event_time);
  void resolve();

  loop::EventLoop& loop_;
  loop::Inotify& inotify_;
  host::HostOptions host_;
  observe::Counters* counters_;
  OnResolution on_resolution_;
  std::optional<loop::Time> event_time_;  ///< Since the last Resolution.
  loop::Subscription resolve_timer_;
  loop::Subscription next_change_timer_;
  loop::Subscription memory_timer_;
  loop::WorkThreads threads_;
  std::unique_ptr<health::CheckRunner> runner_;
  std::unique_ptr<host::PathChecker> paths_;
  health::Monitor health_;
  EventCounts past_event_counts_;       ///< Of generations before the living one.
  std::unique_ptr<Generation> active_;  ///< Null before the first is ready.
  std::unique_ptr<Generation> next_;    ///< Not ready yet.
  loop::Time next_since_;
};

}  // namespace patchbay::daemon
