#pragma once

#include <functional>
#include <string>
#include <utility>

#include "inventory/snapshot.h"
#include "plugin/plugin_host.h"

namespace patchbay::daemon {

/// Keeps the newest list of a resource until this process is elected, and forwards all later ones.
/// The first stage of PluginSink. Loop thread.
class ElectionStage {
 public:
  /// `elected` is called once, before the first list is given to `next`. `plugins` outlives it.
  ElectionStage(plugin::PluginHost& plugins, std::function<void()> elected,
                std::function<void(inventory::SnapshotPtr)> next)
      : plugins_(plugins), on_elected_(std::move(elected)), next_(std::move(next)) {}

  void publish(inventory::SnapshotPtr list) {
    if (elected_) return next_(std::move(list));
    newest_ = std::move(list);
    if (!resource_.empty()) return;
    resource_ = newest_->resource->name;
    plugins_.campaign(resource_, [this] { elected(); });
  }
  [[nodiscard]] bool is_standby() const { return !resource_.empty() && !elected_; }
  /// Forwards no list from now on.
  void stop() { stopped_ = true; }
  /// Another process may serve the resource now.
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
  std::string resource_;           ///< Set when the election was joined; empty: it was not.
  inventory::SnapshotPtr newest_;  ///< Null after the election.
  bool elected_ = false;
  bool stopped_ = false;
};

}  // namespace patchbay::daemon
