#include "cli/config_follower.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "cli/commands/host_discovery.h"
#include "rules/text/position.h"

namespace patchbay::cli {
namespace {

/// Standard input can be read only once.
bool reads_standard_input(const ConfigOptions& options) {
  return std::ranges::find(options.paths, "-") != options.paths.end();
}

daemon::Configuration refused(const Error& error) {
  daemon::Configuration configuration;
  configuration.unreadable = error.message;
  return configuration;
}

daemon::Configuration read_for_this_node(const RunOptions& options, host::NodeFactReader& node,
                                         const daemon::Configuration& before) {
  auto configuration = read_configuration(options.config, before);
  if (!configuration) return refused(configuration.error());
  if (!configuration->full_plan) return *std::move(configuration);
  const auto usable = host_options(options.host, *configuration->full_plan, true);
  if (!usable) return refused(usable.error());
  daemon::filter_for_this_node(*configuration, node);
  daemon::find_missing_mounts(*configuration, path_arguments(options));
  return *std::move(configuration);
}

}  // namespace

bool ends_with_terminal(const RunOptions& options) {
  return options.standalone && isatty(STDIN_FILENO) != 0;
}

std::map<std::string, std::string> path_arguments(const RunOptions& options) {
  std::map<std::string, std::string> arguments{
      {"--host-root", options.host.host_root},
      {"--cdi-dir", options.cdi_directory},
      {"--device-info-dir", options.device_info_directory}};
  std::erase_if(arguments, [](const auto& argument) { return argument.second.empty(); });
  return arguments;
}

void log_excluded(const rules::Plan& plan) {
  for (const rules::Excluded& left : plan.excluded) {
    if (left.undetermined) {
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
                               const RunOptions& options, const paths::HostRoot& root,
                               std::shared_ptr<host::NodeFactReader> node,
                               daemon::Configuration running, daemon::Daemon& daemon,
                               status::Counters& counters, DiagnosticFormat format)
    : first_{.since = loop.now(),
             .files = {running.files.begin(), running.files.end()},
             .digest = fmt::format("{:016x}", running.digest),
             .followed = false} {
  if (!ends_with_terminal(options)) {
    sighup_watch_ = loop.watch_signal(SIGHUP, [this] { on_sighup(); });
  }
  if (options.no_reload || reads_standard_input(options.config)) return;
  reload_.emplace(
      loop, inotify, root, std::move(running), counters,
      daemon::ConfigReloader::Callbacks{
          .read = [options, node = std::move(node)](
                      const auto& before) { return read_for_this_node(options, *node, before); },
          .report =
              [format](const auto& read) {
                report(read.diagnostics, format);
                report(read.missing_mounts, format);
              },
          .apply =
              [&daemon](const rules::PlanPtr& plan) {
                log_excluded(*plan);
                daemon.set_plan(plan);
              }});
}

status::ConfigurationStatus ConfigFollower::status() const {
  return reload_ ? reload_->status() : first_;
}

void ConfigFollower::on_sighup() {
  if (reload_) return reload_->read_again();
  log::warning("SIGHUP ignored: the configuration is read only once",
               {{"reason", "--no-reload, or it came on standard input"}});
}

}  // namespace patchbay::cli
