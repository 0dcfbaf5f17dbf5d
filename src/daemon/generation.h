#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/host.h"
#include "inventory/inventory.h"
#include "loop/event_loop.h"
#include "rules/plan/plan_fwd.h"

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
  ~Generation() override;

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

}  // namespace patchbay::daemon
