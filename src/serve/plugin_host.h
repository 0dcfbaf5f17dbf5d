#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "inventory/snapshot.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "serve/kubelet_directory.h"
#include "serve/kubelet_wait.h"
#include "serve/plugin_service.h"
#include "serve/resource_server.h"

namespace patchbay::serve {

/// All plugins of the process towards one kubelet: one gRPC server, one watch on its directory, one
/// ResourceServer each. Loop thread.
class PluginHost {
 public:
  PluginHost(loop::EventLoop& loop, loop::Inotify& inotify, std::string kubelet_directory,
             AnswerContext answers);
  /// Ends all streams and closes all sockets.
  ~PluginHost();

  /// Serves each snapshot's resource, and registers it as soon as there is a kubelet. Once.
  void start(const std::vector<inventory::SnapshotPtr>& first);

  /// A newer snapshot of a resource that is served.
  void publish(inventory::SnapshotPtr snapshot);

 private:
  void kubelet_socket(std::optional<SocketIdentity> socket);

  loop::EventLoop& loop_;
  std::unique_ptr<PluginService> service_;
  KubeletWait wait_;
  std::map<std::string, std::unique_ptr<ResourceServer>> servers_;  ///< By resource.
  KubeletDirectory directory_;
};

}  // namespace patchbay::serve
