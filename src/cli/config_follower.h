#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cli/commands/config_input.h"
#include "cli/options/options.h"
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

namespace patchbay::cli {

/// Whether the daemon stops when its terminal closes: it was started by hand there.
[[nodiscard]] bool ends_with_terminal(const RunOptions& options);

/// The options that move paths of the Pod.
[[nodiscard]] std::map<std::string, std::string> path_arguments(const RunOptions& options);

/// Logs the resources and groups of the plan that are excluded on this node, and why.
void log_excluded(const rules::Plan& plan);

/// Watches the configuration files of the daemon, unless the options disable it. Also handles
/// SIGHUP, except if the closing of a terminal must stop the daemon. Loop thread.
class ConfigFollower {
 public:
  /// `running` is the initial configuration; `node` was read for it. The other arguments must
  /// outlive this.
  ConfigFollower(loop::UvLoop& loop, loop::Inotify& inotify, const RunOptions& options,
                 const paths::HostRoot& root, std::shared_ptr<host::NodeFactReader> node,
                 daemon::Configuration running, daemon::Daemon& daemon, status::Counters& counters,
                 DiagnosticFormat format);

  [[nodiscard]] status::ConfigurationStatus status() const;

 private:
  void on_sighup();

  status::ConfigurationStatus first_;  ///< At the start.

  std::optional<daemon::ConfigReloader> reload_;
  loop::Subscription sighup_watch_;
};

}  // namespace patchbay::cli
