#pragma once

#include <functional>
#include <string>
#include <utility>

#include "inventory/snapshot.h"
#include "plugin/plugin_host.h"

namespace patchbay::daemon {

/// Withholds the lists of a resource until this process is elected to serve it. Then it forwards
/// the newest withheld list, and each later one at once. The first stage of PluginSink. Loop
/// thread.
class ElectionStage {
 public:
  /// `elected` is called once, before the first list is forwarded to `next`. `plugins` outlives it.
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
  /// After it, an election forwards nothing. It does not stop a later publish(), so call none.
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

}  // namespace patchbay::daemon
