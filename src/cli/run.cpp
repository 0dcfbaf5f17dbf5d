#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/config_input.h"
#include "cli/exit_code.h"
#include "cli/host_look.h"
#include "cli/process_setup.h"
#include "cli/standalone.h"
#include "cli/terminal.h"
#include "daemon/configuration.h"
#include "daemon/daemon.h"
#include "daemon/reload.h"
#include "rules/position.h"
#include "serve/grpc_log.h"

namespace patchbay::cli {
namespace {

log::Level level_of(const std::string& name) {
  if (name == "debug") return log::Level::debug;
  if (name == "warning") return log::Level::warning;
  return name == "error" ? log::Level::error : log::Level::info;
}

void note_left_out(const rules::Plan& plan) {
  for (const rules::LeftOut& left : plan.left_out) {
    log::info("not for this node", {{"resource", left.resource},
                                    {"at", rules::place(left.at)},
                                    {"reason", rules::summary(left.reasons)}});
  }
}

/// That can be read once only.
bool reads_standard_input(const ConfigOptions& options) {
  return std::ranges::find(options.paths, "-") != options.paths.end();
}

/// A terminal that goes takes the daemon along that was tried on it.
bool ends_with_terminal(const RunOptions& options) {
  return options.standalone && isatty(STDIN_FILENO) != 0;
}

/// Follows the configuration, unless that is not wanted.
class Following {
 public:
  Following(loop::UvLoop& loop, loop::Inotify& inotify, const RunOptions& options,
            const host::HostRoot& root, daemon::Configuration living, daemon::Daemon& daemon,
            Complaints complaints) {
    const bool once = options.no_reload || reads_standard_input(options.config);
    if (!ends_with_terminal(options)) {
      hang_up_ = loop.watch_signal(SIGHUP, [this] { hang_up(); });
    }
    if (once) return;
    reload_.emplace(
        loop, inotify, root, std::move(living),
        daemon::Reload::Callbacks{
            .read = [config = options.config, host = options.host](
                        const auto& before) { return read_for_this_node(config, host, before); },
            .complain = [complaints](const auto& read) { tell(read.diagnostics, complaints); },
            .apply =
                [&daemon](const rules::PlanPtr& plan) {
                  note_left_out(*plan);
                  return daemon.set_plan(plan);
                }});
  }

 private:
  static daemon::Configuration read_for_this_node(const ConfigOptions& config,
                                                  const HostCommandOptions& host,
                                                  const daemon::Configuration& before) {
    const auto refused = [](const Error& error) {
      daemon::Configuration configuration;
      configuration.unreadable = error.message;
      return configuration;
    };
    auto configuration = read_configuration(config, before);
    if (!configuration) return refused(configuration.error());
    if (!configuration->whole) return *std::move(configuration);
    const auto usable = host_options(host, *configuration->whole, true);
    if (!usable) return refused(usable.error());
    daemon::keep_for_this_node(*configuration, usable->root);
    return *std::move(configuration);
  }

  void hang_up() {
    if (reload_) return reload_->read_again();
    log::warning("SIGHUP changes nothing: the configuration was read once",
                 {{"reason", "--no-reload, or it came on standard input"}});
  }

  std::optional<daemon::Reload> reload_;
  loop::Subscription hang_up_;
};

}  // namespace

int run(const RunOptions& options) {
  const bool json = options.log_format == "json";
  log::configure(level_of(options.log_level), json ? log::Format::json : log::Format::text);
  const Complaints complaints = json ? Complaints::log : Complaints::text;
  ConfigInput input = read_config(options.config, complaints);
  if (!input.plan) return input.exit_code;
  auto host = host_options(options.host, *input.plan, true);
  if (!host) return unable(host.error(), complaints);
  const host::HostRoot root = host->root;
  daemon::Configuration configuration = std::move(input.configuration);
  daemon::keep_for_this_node(configuration, root);
  const rules::PlanPtr plan = configuration.plan;
  note_left_out(*plan);

  prepare_process();
  if (!ends_with_terminal(options)) hold_signal(SIGHUP);
  serve::redirect_grpc_log();
  loop::UvLoop loop;
  const auto inotify = loop::Inotify::create(loop);
  if (!inotify) return unable(inotify.error(), complaints);
  const auto terminate = loop.watch_signal(SIGTERM, [&] { loop.stop(); });
  const auto interrupt = loop.watch_signal(SIGINT, [&] { loop.stop(); });
  loop::Subscription reaping;
  if (inherits_processes()) reaping = loop.reap_inherited();

  std::unique_ptr<Standalone> standalone;
  std::string directory = options.kubelet_directory;
  if (options.standalone) {
    auto started = Standalone::start(loop, plan);
    if (!started) return unable(started.error(), complaints);
    standalone = std::move(*started);
    directory = standalone->directory();
  }
  const auto unless_given = [&](const std::string& given, const char* usual, const char* fresh) {
    if (!given.empty()) return given;
    return standalone ? directory + fresh : std::string(usual);
  };
  daemon::Daemon daemon(
      loop, **inotify,
      {.kubelet_directory = directory,
       .cdi_directory = unless_given(options.cdi_directory, kCdiDirectory, "/cdi"),
       .device_info_directory =
           unless_given(options.device_info_directory, kDeviceInfoDirectory, "/devinfo"),
       .host = *std::move(host),
       .most_checks = options.most_checks});
  if (const auto started = daemon.set_plan(plan); !started)
    return unable(started.error(), complaints);
  const Following following(loop, **inotify, options, root, std::move(configuration), daemon,
                            complaints);
  loop.run();
  return kOk;
}

}  // namespace patchbay::cli
