#include "daemon/config_follower.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "rules/compile.h"
#include "rules/plan/plan.h"
#include "rules/text/position.h"

namespace patchbay::daemon {
namespace {

/// Standard input can be read only once.
bool reads_standard_input(const ConfigurationSource& source) {
  return std::ranges::find(source.paths, "-") != source.paths.end();
}

Configuration read_for_this_node(const ConfigurationSource& source, host::NodeFactReader& node,
                                 const Configuration& before) {
  Configuration configuration = read_configuration(source.paths, source.node, before);
  if (source.standalone) reject_dra(configuration);
  if (!configuration.full_plan) return configuration;
  if (const auto usable = host_root(source.host_root, *configuration.full_plan); !usable) {
    configuration = {};
    configuration.unreadable = usable.error().message;
    return configuration;
  }
  filter_for_this_node(configuration, node);
  find_missing_mounts(configuration, source.path_arguments);
  return configuration;
}

}  // namespace

void log_excluded(const rules::Plan& plan) {
  for (const rules::Excluded& left : plan.excluded) {
    if (left.unresponsive) {
      log::warning("not offered yet: its when condition cannot be evaluated",
                   {{"resource", left.resource},
                    {"position", rules::location_text(left.at)},
                    {"reason", rules::summary(left.reasons)}});
      continue;
    }
    log::info({"excluded on this node", log::EventKind::refused},
              {{"resource", left.resource},
               {"position", rules::location_text(left.at)},
               {"reason", rules::summary(left.reasons)}});
  }
}

ConfigFollower::ConfigFollower(loop::UvLoop& loop, loop::Inotify& inotify,
                               const ConfigurationSource& source, const paths::HostRoot& root,
                               std::shared_ptr<host::NodeFactReader> node, Configuration running,
                               Daemon& daemon, status::Counters& counters)
    : first_{.since = loop.now(),
             .files = {running.files.begin(), running.files.end()},
             .digest = fmt::format("{:016x}", running.digest),
             .followed = false} {
  if (source.on_sighup) sighup_watch_ = loop.watch_signal(SIGHUP, [this] { on_sighup(); });
  if (!source.follow || reads_standard_input(source)) return;
  reload_.emplace(
      loop, inotify, root, std::move(running), counters,
      ConfigReloader::Callbacks{
          .read = [source, node = std::move(node)](
                      const auto& before) { return read_for_this_node(source, *node, before); },
          .report =
              [report = source.report](const auto& read) {
                report(read.diagnostics);
                report(read.missing_mounts);
              },
          .apply =
              [&daemon](const rules::PlanPtr& plan) {
                log_excluded(*plan);
                daemon.set_plan(plan);
              }},
      ConfigReloader::Times{});
}

status::ConfigurationStatus ConfigFollower::status() const {
  return reload_ ? reload_->status() : first_;
}

void ConfigFollower::on_sighup() {
  if (reload_) return reload_->read_again();
  log::warning("SIGHUP ignored: the configuration is read only once",
               {{"reason", "--no-reload, or it came on standard input"}});
}

}  // namespace patchbay::daemon
