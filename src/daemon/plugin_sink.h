#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "daemon/offer.h"
#include "daemon/unit_file_writer.h"
#include "inventory/snapshot.h"
#include "loop/event_loop.h"
#include "loop/work_queue.h"
#include "plugin/plugin_host.h"
#include "specs/unit_file_store.h"

namespace patchbay::daemon {

/// Withholds the lists of a resource until this process is elected to serve that resource. Then it
/// forwards the newest withheld list, and later each new list at once. The first stage of
/// PluginSink. Loop thread.
class ElectionStage {
 public:
  /// `elected` is called once, before the first list is forwarded to `next`. `plugins` outlives
  /// this object.
  ElectionStage(plugin::PluginHost& plugins, std::function<void()> elected,
                std::function<void(inventory::SnapshotPtr)> next)
      : plugins_(plugins), on_elected_(std::move(elected)), next_(std::move(next)) {}

  void publish(inventory::SnapshotPtr list) {
    if (stopped_) return;
    if (elected_) return next_(std::move(list));
    newest_ = std::move(list);
    if (!resource_.empty()) return;
    resource_ = newest_->resource->name;
    plugins_.campaign(resource_, [this] { elected(); });
  }
  [[nodiscard]] bool is_standby() const { return !resource_.empty() && !elected_; }
  /// Forwards no list from now on.
  void stop() { stopped_ = true; }
  /// Leaves the election, so that another process can serve the resource.
  void resign() {
    if (!resource_.empty()) plugins_.resign(resource_);
  }

 private:
  void elected() {
    elected_ = true;
    if (stopped_) return;
    on_elected_();
    next_(std::exchange(newest_, nullptr));
  }

  plugin::PluginHost& plugins_;
  std::function<void()> on_elected_;
  std::function<void(inventory::SnapshotPtr)> next_;
  std::string resource_;           ///< Empty: the election was not joined.
  inventory::SnapshotPtr newest_;  ///< The withheld list. Null after the election.
  bool elected_ = false;
  bool stopped_ = false;
};

/// Serves the lists of a resource to the kubelet. The last stage of PluginSink. Loop thread.
class PluginStage {
 public:
  /// `served` is called once, when the first list can be read. For `acknowledged`, see
  /// ResourceServer. `plugins` outlives this object.
  PluginStage(plugin::PluginHost& plugins, std::function<void()> served,
              std::function<void()> acknowledged)
      : plugins_(plugins),
        on_served_(std::move(served)),
        on_acknowledged_(std::move(acknowledged)) {}

  void publish(const inventory::SnapshotPtr& list) {
    if (stopped_) return;
    if (server_) return server_->publish(list);
    server_ = plugins_.serve(list, on_acknowledged_);
    on_served_();
  }
  /// Serves no list from now on.
  void stop() { stopped_ = true; }
  /// Null before the first list.
  [[nodiscard]] plugin::ResourceServer* server() const { return server_.get(); }

 private:
  plugin::PluginHost& plugins_;
  std::function<void()> on_served_;
  std::function<void()> on_acknowledged_;
  std::unique_ptr<plugin::ResourceServer> server_;
  bool stopped_ = false;
};

/// Offers one resource to the kubelet as a device plugin. Each list passes three stages: the
/// election, the unit files, and the plugin with its socket, registration and streams. Loop thread.
class PluginSink final : public Sink {
 public:
  struct Callbacks {
    /// Called once, when this process is elected, before the unit files are written.
    std::function<void()> elected;
    /// Called once, when the kubelet can get the resource's list.
    std::function<void()> served;
    /// Called when acknowledged() has changed, possibly within a call of the sink.
    std::function<void()> acknowledged;
  };

  /// `work` runs the writes of unit files. `work` and `plugins` outlive this object.
  PluginSink(loop::EventLoop& loop, loop::BlockingWork& work, plugin::PluginHost& plugins,
             std::shared_ptr<specs::UnitFileStore> store, Callbacks callbacks);

  void publish(inventory::SnapshotPtr list) override { election_.publish(std::move(list)); }
  /// Removes the socket, sends an empty list on each open stream, and ends the streams. Then
  /// removes the unit files and leaves the election.
  void withdraw(loop::Task withdrawn) override;
  /// See ResourceServer.
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
  loop::Subscription ended_;  ///< Continues withdraw() if no list was served.
};

}  // namespace patchbay::daemon
