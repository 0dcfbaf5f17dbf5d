#pragma once

#include <memory>
#include <optional>

#include "cli/config_input.h"
#include "cli/options.h"
#include "daemon/config_reloader.h"
#include "daemon/configuration.h"
#include "daemon/daemon.h"
#include "host/host_root.h"
#include "host/node_facts.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "observe/counters.h"
#include "observe/node_status.h"
#include "rules/plan.h"

namespace patchbay::cli {

/// A terminal that goes takes the daemon along that was tried on it.
[[nodiscard]] bool ends_with_terminal(const RunOptions& options);

/// Logs what of the plan's configuration is not for this node, and why.
void log_excluded(const rules::Plan& plan);

/// Has the daemon follow its configuration, unless the options say otherwise; and takes SIGHUP, but
/// where a terminal's end is the daemon's. Loop thread.
class ConfigFollower {
 public:
  /// `living` is what the daemon began with, and `node` looked for it. The others outlive this.
  ConfigFollower(loop::UvLoop& loop, loop::Inotify& inotify, const RunOptions& options,
                 const host::HostRoot& root, std::shared_ptr<host::NodeFactReader> node,
                 daemon::Configuration running, daemon::Daemon& daemon, observe::Counters& counters,
                 DiagnosticFormat format);

  [[nodiscard]] observe::ConfigurationStatus status() const;

 private:
  void on_sighup();

  observe::ConfigurationStatus first_;  ///< As it was at the start.

  std::optional<daemon::ConfigReloader> reload_;
  loop::Subscription sighup_watch_;
};

}  // namespace patchbay::cli
