#include <signal.h>

#include <memory>

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

}  // namespace

int run(const RunOptions& options) {
  const bool json = options.log_format == "json";
  log::configure(level_of(options.log_level), json ? log::Format::json : log::Format::text);
  const Complaints complaints = json ? Complaints::log : Complaints::text;
  const ConfigInput input = read_config(options.config, complaints);
  if (!input.plan) return input.exit_code;
  auto host = host_options(options.host, *input.plan, true);
  if (!host) return unable(host.error(), complaints);
  const rules::PlanPtr plan = daemon::plan_for_this_node(input.plan, host->root);
  note_left_out(*plan);

  prepare_process();
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
  loop.run();
  return kOk;
}

}  // namespace patchbay::cli
