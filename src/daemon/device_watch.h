#pragma once

#include <functional>
#include <memory>

#include "host/host.h"
#include "inventory/inventory.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "rules/plan.h"

namespace patchbay::daemon {

/// Keeps an Inventory in step with the host, and tells each new Resolution. Loop thread.
class DeviceWatch final : private host::HostListener {
 public:
  /// `on_resolution` is first called when everything that was there at the start has been told,
  /// then whenever something may have changed; many changes in one turn of the loop are one call.
  DeviceWatch(loop::EventLoop& loop, loop::Inotify& inotify, rules::PlanPtr plan,
              host::HostOptions options,
              std::function<void(const inventory::Resolution&)> on_resolution);
  ~DeviceWatch() override;

  Result<void> start();
  /// Somebody found that this device is not what it was.
  void look_again(const std::string& key) { host_->look_again(key); }

  [[nodiscard]] const inventory::Inventory& inventory() const { return inventory_; }
  [[nodiscard]] host::HostCounters counters() const { return host_->counters(); }

 private:
  void device_seen(DeviceFactsPtr facts) override;
  void device_gone(const std::string& key) override;
  void nodes_online(const std::set<int>& nodes) override;
  void first_scan_done() override;
  void resolve_soon();
  void resolve();

  loop::EventLoop& loop_;
  inventory::Inventory inventory_;
  std::function<void(const inventory::Resolution&)> on_resolution_;
  bool scanned_ = false;
  loop::Subscription soon_;
  loop::Subscription next_change_;
  std::unique_ptr<host::Host> host_;
};

}  // namespace patchbay::daemon
