#pragma once

#include <functional>
#include <memory>
#include <string>

#include "daemon/sink.h"
#include "daemon/unit_file_writer.h"
#include "loop/blocking_work.h"
#include "loop/event_loop.h"
#include "plugin/plugin_host.h"
#include "specs/unit_file_store.h"

namespace patchbay::daemon {

/// Offers one resource to the kubelet as a device plugin. It owns the unit files, and the plugin
/// with its socket, registration and streams. After this process was elected for the resource, the
/// files of a snapshot are written, and then its list is sent. Loop thread.
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
  PluginSink(const PluginSink&) = delete;
  PluginSink& operator=(const PluginSink&) = delete;
  ~PluginSink() override;

  void publish(inventory::SnapshotPtr snapshot) override;
  /// The socket is removed, an empty list is sent on every open stream, and the streams end; then
  /// the unit files are removed.
  void withdraw(loop::Task withdrawn) override;
  /// A list counts when it was written to a stream.
  [[nodiscard]] inventory::SnapshotPtr acknowledged() const override {
    return plugin_ ? plugin_->acknowledged() : nullptr;
  }
  [[nodiscard]] bool served() const override { return plugin_ != nullptr; }
  [[nodiscard]] status::RegistrationStatus status() const override;

 private:
  void elected();
  void serve(inventory::SnapshotPtr snapshot);

  loop::EventLoop& loop_;
  plugin::PluginHost& plugins_;
  Callbacks callbacks_;
  std::string resource_;  ///< Set when the election was joined; empty: it was not.
  UnitFileWriter files_;
  bool elected_ = false;                            ///< The election was won.
  inventory::SnapshotPtr newest_;                   ///< To be sent after the election.
  std::unique_ptr<plugin::ResourceServer> plugin_;  ///< Null before its first list.
  bool withdrawing_ = false;
  loop::Time since_;          ///< Start of the standby, registering or withdrawing state.
  loop::Subscription ended_;  ///< Continues withdraw() if there is no plugin.
};

}  // namespace patchbay::daemon
