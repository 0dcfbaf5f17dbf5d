#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "host/directory_watch.h"
#include "inventory/snapshot.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "observe/counters.h"
#include "observe/node_status.h"
#include "serve/kubelet_availability.h"
#include "serve/kubelet_directory.h"
#include "serve/leader_election.h"
#include "serve/plugin_service.h"
#include "serve/resource_server.h"

namespace patchbay::serve {

/// Makes all plugins of the process towards one kubelet: they share one gRPC server and one watch
/// on its directory. Loop thread.
class PluginHost {
 public:
  /// `counters` outlives it.
  PluginHost(loop::EventLoop& loop, loop::Inotify& inotify, std::string kubelet_directory,
             AnswerContext answers, observe::Counters& counters);
  /// As end().
  ~PluginHost();

  /// Ends all streams; then other processes may serve the resources. What serve() gave must have
  /// gone. Only the destructor may be called after it.
  void end();

  /// Wants to serve the resource: `elected` is called once no other process of ours does, and may
  /// be called at once. Other processes wait from then on, until resign(), or until this object
  /// goes and all streams have ended.
  void campaign(const std::string& resource, loop::Task elected);
  /// `done` is called on gRPC's thread, when that goes on.
  void check_liveness(std::function<void()> done) { service_->check_liveness(std::move(done)); }
  [[nodiscard]] observe::KubeletStatus kubelet_status() const { return availability_.status(); }
  void resign(const std::string& resource) {
    election_watches_.erase(resource);
    elections_.erase(resource);
  }
  /// Whether no other process of ours serves, or waits for, any resource here.
  [[nodiscard]] bool is_only_instance() const;

  /// Serves the snapshot's resource, for which this process was elected, and registers it as soon
  /// as there is a kubelet. A resource that was served before must have been withdrawn. It must go
  /// before this object.
  [[nodiscard]] std::unique_ptr<ResourceServer> serve(const inventory::SnapshotPtr& first);

 private:
  void watch_election_directory(const std::string& resource);
  void on_kubelet_socket(std::optional<SocketIdentity> socket);
  void on_deleted(const std::string& name);

  /// By resource. They go when the service has ended its streams.
  std::map<std::string, std::unique_ptr<LeaderElection>> elections_;
  /// By resource, of the directories of their sockets: a deleted one is made again at once.
  std::map<std::string, std::unique_ptr<host::DirectoryWatch>> election_watches_;
  loop::Inotify& inotify_;
  std::unique_ptr<PluginService> service_;
  KubeletAvailability availability_;
  KubeletContext context_;
  std::optional<SocketIdentity> kubelet_;  ///< As it was seen last.
  bool started_ = false;
  KubeletDirectory directory_;
};

}  // namespace patchbay::serve
