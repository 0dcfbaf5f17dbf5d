#pragma once

#include <functional>
#include <memory>

#include "health/check_runner.h"
#include "health/monitor.h"
#include "host/host.h"
#include "host/path_look.h"
#include "inventory/inventory.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "loop/work_threads.h"
#include "rules/plan.h"

namespace patchbay::daemon {

/// Keeps an Inventory in step with the host and with the health of its units, and tells each new
/// Resolution. Loop thread.
class DeviceWatch final : private host::HostListener {
 public:
  struct Options {
    host::HostOptions host;
    size_t most_checks = health::Monitor::kMostChecks;  ///< At once.
  };

  /// `on_resolution` is first called when everything that was there at the start has been told,
  /// then whenever something may have changed; many changes in one turn of the loop are one call.
  /// Units are what their probes say initially, and probes run from then on; where the host is not
  /// followed, each has run once before the only call.
  DeviceWatch(loop::EventLoop& loop, loop::Inotify& inotify, rules::PlanPtr plan, Options options,
              std::function<void(const inventory::Resolution&)> on_resolution);
  ~DeviceWatch() override;

  Result<void> start();
  /// Somebody found that this device is not what it was.
  void look_again(const std::string& key) { host_->look_again(key); }

  [[nodiscard]] const inventory::Inventory& inventory() const { return inventory_; }
  [[nodiscard]] host::HostCounters counters() const { return host_->counters(); }

 private:
  void device_seen(DeviceFactsPtr facts) override;
  void device_event(const std::string& key) override { health_.device_event(key); }
  void device_gone(const std::string& key) override;
  void nodes_online(const std::set<int>& nodes) override;
  void pattern_cut(const std::string& pattern, const std::string& why) override;
  void first_scan_done() override;
  void resolve_soon();
  void resolve();

  loop::EventLoop& loop_;
  inventory::Inventory inventory_;
  std::function<void(const inventory::Resolution&)> on_resolution_;
  bool follows_;
  bool scanned_ = false;
  loop::Subscription soon_;
  loop::Subscription next_change_;
  loop::WorkThreads threads_;
  std::unique_ptr<health::CheckRunner> runner_;
  std::unique_ptr<host::PathLook> paths_;
  health::Monitor health_;
  std::unique_ptr<host::Host> host_;
};

}  // namespace patchbay::daemon
