#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "inventory/snapshot.h"
#include "plugin/plugin_host.h"

namespace patchbay::daemon {

/// Serves the lists of a resource to the kubelet. The last stage of PluginSink. Loop thread.
class PluginStage {
 public:
  /// `served` is called once, after the first list. `acknowledged` is as for ResourceServer.
  /// `plugins` outlives it.
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

}  // namespace patchbay::daemon
