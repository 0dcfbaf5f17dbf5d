#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "inventory/snapshot.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "paths/directory_watch.h"
#include "plugin/answers.h"
#include "plugin/kubelet_availability.h"
#include "plugin/kubelet_directory.h"
#include "plugin/leader_election.h"
#include "plugin/resource_server.h"
#include "status/counters.h"
#include "status/node_status.h"

namespace patchbay::plugin {

class PluginService;

/// Creates the plugins of this process for one kubelet: one ResourceServer for each resource. They
/// share one gRPC server and one watch of the kubelet's directory. Loop thread.
class PluginHost {
 public:
  /// `counters` outlives this object.
  PluginHost(loop::EventLoop& loop, loop::Inotify& inotify, std::string kubelet_directory,
             AnswerContext answers, status::Counters& counters);
  /// Calls end().
  ~PluginHost();

  /// Ends all streams, then leaves all elections, so that other instances can serve the resources.
  /// Destroy the results of serve() before. After end(), only the destructor may be called.
  void end();

  /// Joins the election for the resource. Calls `elected` once, possibly within this call, when no
  /// other instance serves the resource. After that, other instances stay on standby until resign()
  /// or end().
  void campaign(const std::string& resource, loop::Task elected);
  /// Calls `done` on gRPC's thread, so only if that thread is not stalled.
  void check_liveness(std::function<void()> done);
  [[nodiscard]] status::KubeletStatus kubelet_status() const { return availability_.status(); }
  void resign(const std::string& resource) {
    election_watches_.erase(resource);
    elections_.erase(resource);
  }
  /// Whether no resource has another instance that serves it or is on standby for it.
  [[nodiscard]] bool is_only_instance() const;

  /// Serves the snapshot's resource, for which this process was elected. Registers the resource as
  /// soon as kubelet.sock exists. A previous server of the resource must have been withdrawn.
  /// Destroy the result before this object. For `acknowledged`, see ResourceServer.
  [[nodiscard]] std::unique_ptr<ResourceServer> serve(const inventory::SnapshotPtr& first,
                                                      std::function<void()> acknowledged);

 private:
  void watch_election_directory(const std::string& resource);
  void on_kubelet_socket(std::optional<SocketIdentity> socket);
  void on_deleted(const std::string& name);

  /// The elections, by resource. Destroyed after service_ has ended its streams.
  std::map<std::string, std::unique_ptr<LeaderElection>> elections_;
  /// Watches of the elections' socket directories, by resource. A deleted socket is thus recreated
  /// at once.
  std::map<std::string, std::unique_ptr<paths::DirectoryWatch>> election_watches_;
  loop::Inotify& inotify_;
  std::unique_ptr<PluginService> service_;
  KubeletAvailability availability_;
  KubeletContext context_;
  std::optional<SocketIdentity> kubelet_;  ///< The last known kubelet.sock. Null if none exists.
  bool started_ = false;
  KubeletDirectory directory_;
};

}  // namespace patchbay::plugin
