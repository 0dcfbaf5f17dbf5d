#pragma once

#include <optional>
#include <string>

#include "daemon/dra_host.h"
#include "daemon/offer.h"
#include "daemon/plugin_gate.h"
#include "loop/event_loop.h"
#include "pods/pod_watch.h"

namespace patchbay::daemon {

/// Offers one resource as DRA devices, as soon as its PluginGate is open. Loop thread.
class DraSink final : public Sink {
 public:
  /// `loop`, `host` and `pods` outlive it. For a null `pods`, see PluginGate.
  DraSink(loop::EventLoop& loop, DraHost& host, pods::PodWatch* pods)
      : loop_(loop), host_(host), pods_(pods) {}

  void publish(inventory::SnapshotPtr list) override;
  void withdraw(loop::Task withdrawn) override;
  [[nodiscard]] inventory::SnapshotPtr acknowledged() const override {
    return host_.acknowledged(resource_);
  }
  [[nodiscard]] bool served() const override { return gate_is_open(); }
  [[nodiscard]] status::RegistrationStatus status() const override;

 private:
  [[nodiscard]] bool gate_is_open() const {
    return gate_ && gate_->state() == PluginGate::State::open;
  }
  void on_gate();

  loop::EventLoop& loop_;
  DraHost& host_;
  pods::PodWatch* pods_;
  std::string resource_;  ///< Empty before the first list.
  inventory::SnapshotPtr newest_;
  std::optional<PluginGate> gate_;  ///< Nullopt before the first list.
  bool withdrawing_ = false;
  loop::Time since_ = loop_.now();  ///< Start of the wait for the gate, or of the withdrawal.
};

}  // namespace patchbay::daemon
