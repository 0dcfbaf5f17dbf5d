#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "daemon/election_stage.h"
#include "daemon/plugin_stage.h"
#include "daemon/sink.h"
#include "daemon/unit_file_writer.h"
#include "loop/blocking_work.h"
#include "loop/event_loop.h"
#include "plugin/plugin_host.h"
#include "specs/unit_file_store.h"

namespace patchbay::daemon {

/// Offers one resource to the kubelet as a device plugin. Each list passes three stages: the
/// election, the unit files, and the plugin with its socket, registration and streams. Loop thread.
class PluginSink final : public Sink {
 public:
  struct Callbacks {
    /// This process was elected: no other one serves the resource. Called once, before the unit
    /// files are written.
    std::function<void()> elected;
    /// The kubelet can get the resource's list. Called once.
    std::function<void()> served;
    /// acknowledged() has changed. May be called within a call of the sink.
    std::function<void()> acknowledged;
  };

  /// `work` runs the writes of unit files. `work` and `plugins` outlive it.
  PluginSink(loop::EventLoop& loop, loop::BlockingWork& work, plugin::PluginHost& plugins,
             std::shared_ptr<specs::UnitFileStore> store, Callbacks callbacks);

  void publish(inventory::SnapshotPtr list) override { election_.publish(std::move(list)); }
  /// The socket is removed, an empty list is sent on every open stream, and the streams end; then
  /// the unit files are removed.
  void withdraw(loop::Task withdrawn) override;
  /// A list counts when it was written to a stream.
  [[nodiscard]] inventory::SnapshotPtr acknowledged() const override {
    return plugin_.server() != nullptr ? plugin_.server()->acknowledged() : nullptr;
  }
  [[nodiscard]] bool served() const override { return plugin_.server() != nullptr; }
  [[nodiscard]] status::RegistrationStatus status() const override;

 private:
  loop::EventLoop& loop_;
  PluginStage plugin_;
  UnitFileWriter files_;
  ElectionStage election_;
  bool withdrawing_ = false;
  loop::Time since_;          ///< Start of the standby, registering or withdrawing state.
  loop::Subscription ended_;  ///< Continues withdraw() if there is no plugin.
};

}  // namespace patchbay::daemon
