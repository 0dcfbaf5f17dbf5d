#pragma once

#include <functional>
#include <memory>
#include <string>

#include "daemon/change_log.h"
#include "daemon/publisher.h"
#include "daemon/unit_files.h"
#include "inventory/resolution.h"
#include "loop/event_loop.h"
#include "serve/plugin_host.h"
#include "specs/unit_files.h"

namespace patchbay::daemon {

/// What belongs to the name of one resource, and outlives configurations: the log of its changes,
/// the files of its units, and its plugin with socket, registration and streams. A snapshot goes
/// that way, in this order. Loop thread.
class Offer {
 public:
  /// `plugins` outlives it. `served` is called once, when the kubelet could be told of the
  /// resource.
  Offer(loop::EventLoop& loop, serve::PluginHost& plugins,
        std::shared_ptr<specs::UnitFileStore> store, std::function<void()> served);
  Offer(const Offer&) = delete;
  Offer& operator=(const Offer&) = delete;
  ~Offer();

  /// What became of the resource.
  void take(const inventory::ResolvedResource& resource);

  /// The resource is not offered any more: an empty list goes out on every open stream, then these
  /// end, the socket goes, and the files of its units. `withdrawn` is called once, later; nothing
  /// else of it then. The Offer is to be destroyed by then.
  void withdraw(loop::Task withdrawn);

  [[nodiscard]] bool served() const { return plugin_ != nullptr; }

 private:
  void serve(inventory::SnapshotPtr snapshot);

  loop::EventLoop& loop_;
  serve::PluginHost& plugins_;
  std::function<void()> served_;
  inventory::SnapshotPtr last_;
  ChangeLog change_log_;
  UnitFiles files_;
  Publisher publisher_;
  std::unique_ptr<serve::ResourceServer> plugin_;  ///< Null before its first list can be told.
  bool leaving_ = false;
  loop::Subscription ended_;
};

}  // namespace patchbay::daemon
