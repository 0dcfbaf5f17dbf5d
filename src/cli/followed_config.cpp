#include "cli/followed_config.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "cli/host_look.h"
#include "rules/position.h"

namespace patchbay::cli {
namespace {

/// That can be read once only.
bool reads_standard_input(const ConfigOptions& options) {
  return std::ranges::find(options.paths, "-") != options.paths.end();
}

daemon::Configuration refused(const Error& error) {
  daemon::Configuration configuration;
  configuration.unreadable = error.message;
  return configuration;
}

daemon::Configuration read_for_this_node(const ConfigOptions& config,
                                         const HostCommandOptions& host, host::NodeFactReader& node,
                                         const daemon::Configuration& before) {
  auto configuration = read_configuration(config, before);
  if (!configuration) return refused(configuration.error());
  if (!configuration->whole) return *std::move(configuration);
  const auto usable = host_options(host, *configuration->whole, true);
  if (!usable) return refused(usable.error());
  daemon::keep_for_this_node(*configuration, node);
  return *std::move(configuration);
}

}  // namespace

bool ends_with_terminal(const RunOptions& options) {
  return options.standalone && isatty(STDIN_FILENO) != 0;
}

void log_excluded(const rules::Plan& plan) {
  for (const rules::Excluded& left : plan.excluded) {
    if (left.undetermined) {
      log::warning("not offered until it is known whether it is for this node",
                   {{"resource", left.resource},
                    {"at", rules::location_text(left.at)},
                    {"reason", rules::summary(left.reasons)}});
      continue;
    }
    log::info("not for this node", {{"resource", left.resource},
                                    {"at", rules::location_text(left.at)},
                                    {"reason", rules::summary(left.reasons)}});
  }
}

FollowedConfig::FollowedConfig(loop::UvLoop& loop, loop::Inotify& inotify,
                               const RunOptions& options, const host::HostRoot& root,
                               std::shared_ptr<host::NodeFactReader> node,
                               daemon::Configuration living, daemon::Daemon& daemon,
                               observe::Counters& counters, Complaints complaints)
    : first_{.since = loop.now(),
             .files = {living.files.begin(), living.files.end()},
             .digest = fmt::format("{:016x}", living.digest),
             .followed = false} {
  if (!ends_with_terminal(options)) {
    hang_up_ = loop.watch_signal(SIGHUP, [this] { hang_up(); });
  }
  if (options.no_reload || reads_standard_input(options.config)) return;
  reload_.emplace(
      loop, inotify, root, std::move(living), counters,
      daemon::Reload::Callbacks{
          .read =
              [config = options.config, host = options.host, node = std::move(node)](
                  const auto& before) { return read_for_this_node(config, host, *node, before); },
          .complain = [complaints](const auto& read) { tell(read.diagnostics, complaints); },
          .apply =
              [&daemon](const rules::PlanPtr& plan) {
                log_excluded(*plan);
                return daemon.set_plan(plan);
              }});
}

observe::ConfigurationStatus FollowedConfig::status() const {
  return reload_ ? reload_->status() : first_;
}

void FollowedConfig::hang_up() {
  if (reload_) return reload_->read_again();
  log::warning("SIGHUP changes nothing: the configuration was read once",
               {{"reason", "--no-reload, or it came on standard input"}});
}

}  // namespace patchbay::cli
