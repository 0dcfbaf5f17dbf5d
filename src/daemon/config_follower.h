#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/config_reloader.h"
#include "daemon/configuration.h"
#include "daemon/daemon.h"
#include "host/facts/node_facts.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "paths/host_root.h"
#include "rules/plan/plan_fwd.h"
#include "status/counters.h"
#include "status/node_status.h"

namespace patchbay::daemon {

/// Where the daemon reads its configuration, and how.
struct ConfigurationSource {
  std::vector<std::string> paths;
  std::string node;                                   ///< The name of the node.
  std::string host_root;                              ///< See host_root().
  std::map<std::string, std::string> path_arguments;  ///< See find_missing_mounts().
  bool standalone = false;                            ///< `serve: dra` is rejected.
  bool follow = true;                                 ///< Whether changes cause a new read.
  bool on_sighup = true;                              ///< Whether SIGHUP causes a new read.
  /// Prints errors and warnings for the user.
  std::function<void(const config::Diagnostics&)> report;
};

/// Logs the resources and groups of the plan that are excluded on this node, and why.
void log_excluded(const rules::Plan& plan);

/// Reloads the configuration after a change of its files or the node, and at SIGHUP. Loop thread.
class ConfigFollower {
 public:
  /// `running` is the initial configuration. `node` is the reader that gave the node facts of
  /// `running`. `loop`, `inotify`, `daemon` and `counters` must outlive this object.
  ConfigFollower(loop::UvLoop& loop, loop::Inotify& inotify, const ConfigurationSource& source,
                 const paths::HostRoot& root, std::shared_ptr<host::NodeFactReader> node,
                 Configuration running, Daemon& daemon, status::Counters& counters);

  [[nodiscard]] status::ConfigurationStatus status() const;

 private:
  void on_sighup();

  status::ConfigurationStatus first_;  ///< The status of the initial configuration.
  std::optional<ConfigReloader> reload_;
  loop::Subscription sighup_watch_;
};

}  // namespace patchbay::daemon
