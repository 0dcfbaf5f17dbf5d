#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "host/host.h"
#include "inventory/inventory.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "rules/plan.h"

namespace patchbay::daemon {

/// What one configuration brings, and takes with it: its plan, what of the host is looked at for
/// it, and what is known by that. It can be made beside the living one. Loop thread.
class Generation final : private host::HostListener {
 public:
  struct Callbacks {
    /// Everything that was there at the start has been told, but for what does not answer; once.
    /// This object may be moved to another owner in it, but not destroyed.
    std::function<void()> ready;
    /// Since then, Inventory::offer() may answer differently; often.
    /// `event_time`: when the event was heard for which it does; none: it was no event.
    std::function<void(std::optional<loop::Time> event_time)> changed;
    /// Since then, something happened to the thing with that key.
    std::function<void(const std::string& key)> device_event;
  };

  /// `before` is the living inventory; null: there is none. See Inventory. Patient: it is ready
  /// when nothing is waited for any more; else some resources may be waited for yet, see
  /// ResolvedResource.
  Generation(loop::EventLoop& loop, loop::Inotify& inotify, rules::PlanPtr plan,
             const inventory::Inventory* before, host::HostOptions options, bool wait_for_hung,
             Callbacks callbacks);
  ~Generation() override;

  Result<void> start();
  /// Somebody found that this device is not what it was.
  void refresh(const std::string& key) { host_->refresh_if_known(key); }

  [[nodiscard]] inventory::Inventory& inventory() { return inventory_; }
  [[nodiscard]] const rules::PlanPtr& plan() const { return inventory_.plan(); }
  [[nodiscard]] EventCounts event_counts() const { return host_->event_counts(); }
  [[nodiscard]] EventSources event_sources() const { return host_->event_sources(); }

 private:
  void event_received(loop::Time at) override { event_time_ = at; }
  void device_seen(DeviceFactsPtr facts) override;
  void device_event(const std::string& key) override {
    if (ready_) callbacks_.device_event(key);
  }
  void device_gone(const std::string& key) override;
  void nodes_online(const std::set<int>& nodes) override;
  void pattern_truncated(const std::string& pattern, const std::string& why) override;
  void unanswered(const std::vector<Unanswered>& all) override;
  void first_scan_done() override;
  void check_ready();
  void note(bool changed) {
    const auto event_time = std::exchange(event_time_, std::nullopt);
    if (changed && ready_) callbacks_.changed(event_time);
  }

  inventory::Inventory inventory_;
  Callbacks callbacks_;
  const bool waits_for_hung_;
  bool scanned_ = false;
  bool ready_ = false;
  std::optional<loop::Time> event_time_;  ///< Of what is told just now.
  std::unique_ptr<host::Host> host_;
};

}  // namespace patchbay::daemon
