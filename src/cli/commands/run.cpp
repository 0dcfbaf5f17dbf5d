#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "base/whole_number.h"
#include "cli/commands/commands.h"
#include "cli/commands/config_input.h"
#include "cli/commands/host_discovery.h"
#include "cli/commands/process_setup.h"
#include "cli/commands/program_status.h"
#include "cli/commands/standalone.h"
#include "cli/commands/status_client.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/table.h"
#include "cli/terminal/terminal.h"
#include "daemon/config_follower.h"
#include "daemon/configuration.h"
#include "daemon/daemon.h"
#include "daemon/service_manager.h"
#include "daemon/status_report.h"
#include "host/facts/node_facts.h"
#include "http/endpoints.h"
#include "loop/executor.h"
#include "loop/thread_activity.h"
#include "loop/watchdog.h"
#include "rpc/grpc_setup.h"
#include "rules/compile.h"
#include "status/journal.h"

namespace patchbay::cli {
namespace {

/// Never destroyed, like the log.
status::Journal& journal() {
  static auto* const kept = new status::Journal;
  return *kept;
}

/// Empty: disabled.
std::string status_socket_of(const RunOptions& options) {
  if (options.status_socket == kNoSocket) return {};
  return options.status_socket.empty() ? default_status_socket() : options.status_socket;
}

/// The `status` command for a daemon with these options, or the reason why there is none, for the
/// person who starts it. Whole lines, or empty.
std::string status_hint(const RunOptions& options) {
  if (options.status_socket == kNoSocket) return {};
  const std::string path = status_socket_of(options);
  if (path.empty()) {
    return "status socket: none ($XDG_RUNTIME_DIR is not set); start with --status-socket PATH\n";
  }
  if (has_listener({.socket = path})) {
    return "status socket " + shown(path) +
           ": in use by another instance, which `patchbay status` shows; start this one with "
           "--status-socket PATH\n";
  }
  const std::string option = options.status_socket.empty() ? "" : " --status-socket " + shown(path);
  return "in another terminal: patchbay status" + option + "\n";
}

/// From now on, keeps log records about devices for `events`, as long as the process lives.
void start_journal() {
  log::listen([&kept = journal()](const log::Entry& entry, auto at) { kept.record(entry, at); });
}

/// Serves the endpoints that the options enable. The arguments must outlive the result.
Result<std::unique_ptr<http::Endpoints>> start_endpoints(const RunOptions& options,
                                                         status::StatusSource& source,
                                                         const status::Counters& counters) {
  auto endpoints = http::Endpoints::start(
      source, journal(), counters,
      {.page_on_network = options.page, .metrics_per_unit = options.metrics_per_unit});
  if (!options.listen.empty()) {
    const auto address = http::parse_tcp_address(options.listen);
    if (!address) return std::unexpected(address.error());
    endpoints->serve_tcp(*address);
  }
  const std::string path = status_socket_of(options);
  if (!path.empty()) endpoints->serve_unix(path);
  return endpoints;
}

log::Level level_of(const std::string& name) {
  if (name == "debug") return log::Level::debug;
  if (name == "warning") return log::Level::warning;
  return name == "error" ? log::Level::error : log::Level::info;
}

/// Whether the daemon stops when its terminal closes: it was started by hand there.
bool ends_with_terminal(const RunOptions& options) {
  return options.standalone && isatty(STDIN_FILENO) != 0;
}

daemon::ConfigurationSource configuration_source(const RunOptions& options, const std::string& node,
                                                 DiagnosticFormat format) {
  std::map<std::string, std::string> paths{{"--host-root", options.host.host_root},
                                           {"--cdi-dir", options.cdi_directory},
                                           {"--device-info-dir", options.device_info_directory},
                                           {"--kubelet-root", options.kubelet_root},
                                           {"--pod-resources", options.pod_resources}};
  std::erase_if(paths, [](const auto& argument) { return argument.second.empty(); });
  return {.paths = options.config.paths,
          .node = node,
          .host_root = options.host.host_root,
          .path_arguments = std::move(paths),
          .standalone = options.standalone,
          .follow = !options.no_reload,
          .on_sighup = !ends_with_terminal(options),
          .report = [format](const config::Diagnostics& found) { report(found, format); }};
}

/// patchbay-kube is beside this program.
std::vector<std::string> kube_command(const RunOptions& options) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  std::vector<std::string> command{(self.parent_path() / "patchbay-kube").string()};
  for (const auto& [name, value] :
       {std::pair("--api-server", &options.api_server), std::pair("--api-ca", &options.api_ca),
        std::pair("--api-token-file", &options.api_token_file)}) {
    if (!value->empty()) command.insert(command.end(), {name, *value});
  }
  return command;
}

/// Tests shorten the period of the checks of ResourceClaims by a variable, which has seconds.
loop::Milliseconds dra_check_period() {
  const char* const text = std::getenv("PATCHBAY_DRA_CHECK_SECONDS");
  const auto seconds = parse_whole<int>(text == nullptr ? "" : text);
  return seconds && *seconds > 0 ? std::chrono::seconds(*seconds)
                                 : daemon::DraOptions().check_period;
}

/// `standalone` is null, or has the kubelet and the directories to use.
daemon::Daemon::Options daemon_options(const RunOptions& options, host::HostOptions host,
                                       const Standalone* standalone,
                                       const daemon::ServiceManager& manager,
                                       const status::ProgramStatus& program) {
  const std::string kubelet =
      standalone != nullptr ? standalone->directory() : options.kubelet_directory;
  const auto unless_given = [&](const std::string& given, const char* usual, const char* fresh) {
    if (!given.empty()) return given;
    return standalone != nullptr ? kubelet + fresh : std::string(usual);
  };
  std::string pod_resources = options.pod_resources;
  if (pod_resources.empty()) {
    pod_resources = standalone != nullptr ? kNoSocket : options.kubelet_root + kPodResources;
  }
  if (pod_resources == kNoSocket) pod_resources.clear();
  return {.kubelet_directory = kubelet,
          .cdi_directory = unless_given(options.cdi_directory, kCdiDirectory, "/cdi"),
          .device_info_directory =
              unless_given(options.device_info_directory, kDeviceInfoDirectory, "/devinfo"),
          .host = std::move(host),
          .max_checks = options.max_checks,
          .pod_resources = std::move(pod_resources),
          .own_pod = program.pod,
          .kubelet_root = options.kubelet_root,
          .node = program.node,
          .kube_command = kube_command(options),
          .dra_check_period = dra_check_period(),
          .offering = [&manager] { manager.ready(); }};
}

/// The time limit for the facts of `when` at the start. Later facts are applied like a
/// configuration change, so that other resources do not wait.
constexpr std::chrono::milliseconds kNodeCheckTimeout{500};

/// Runs the daemon with a configuration until it ends; returns the exit code.
int run_daemon(const RunOptions& options, ConfigInput input, loop::Watchdog& watchdog,
               const daemon::ServiceManager& manager, DiagnosticFormat format) {
  auto host = host_options(options.host, *input.plan, true);
  if (!host) return report_failure(host.error(), format);
  const paths::HostRoot root = host->root;
  daemon::Configuration configuration = std::move(input.configuration);
  const loop::Executor executor;
  const auto node = std::make_shared<host::NodeFactReader>(executor, root);
  daemon::filter_for_this_node(configuration, *node,
                               options.no_reload ? loop::kHungAfter : kNodeCheckTimeout);
  const status::ProgramStatus program = program_status(
      options.config.node.empty() ? daemon::default_node_name() : options.config.node);
  const auto source = configuration_source(options, program.node, format);
  daemon::find_missing_mounts(configuration, source.path_arguments);
  const rules::PlanPtr plan = configuration.plan;
  log::info("starting", {{"version", program.version},
                         {"commit", program.commit},
                         {"node", program.node},
                         {"kernel", program.kernel},
                         {"config", join(options.config.paths, " ")},
                         {"hash", fmt::format("{:016x}", configuration.digest)},
                         {"resources", std::to_string(plan->resources.size())},
                         {"events", join(rules::host_query(plan)->event_sources(), " ")}});
  daemon::log_excluded(*plan);
  source.report(configuration.missing_mounts);

  if (source.on_sighup) block_signal(SIGHUP);
  rpc::redirect_grpc_log();
  loop::UvLoop loop(executor);
  std::optional<loop::ThreadActivity::ScopedActivity> ending;
  const auto inotify = loop::Inotify::create(loop);
  if (!inotify) return report_failure(inotify.error(), format);
  const auto on_signal = watchdog.on_signal([&loop] { loop.post([&loop] { loop.stop(); }); });
  become_subreaper();
  const loop::Subscription reaping = loop.reap_inherited();

  std::unique_ptr<Standalone> standalone;
  if (options.standalone) {
    if (is_terminal(STDIN_FILENO)) print_error(status_hint(options));
    auto started = Standalone::start(*plan);
    if (!started) return report_failure(started.error(), format);
    standalone = std::move(*started);
  }
  status::Counters counters;
  daemon::Daemon daemon(
      loop, **inotify,
      daemon_options(options, *std::move(host), standalone.get(), manager, program), counters);
  daemon.set_plan(plan);
  const daemon::ConfigFollower follower(loop, **inotify, source, root, node,
                                        std::move(configuration), daemon, counters);
  daemon::StatusReport report(
      loop, daemon, program, [&follower] { return follower.status(); }, root);
  auto endpoints = start_endpoints(options, report, counters);
  if (!endpoints) return report_failure(endpoints.error(), format);
  const loop::Subscription watchdog_pings = manager.ping_watchdog(loop, report);
  loop.run();
  manager.stopping();
  ending.emplace(loop.activity(), "its end");
  daemon.end();
  endpoints->reset();
  standalone.reset();
  loop.end_processes();
  exit_immediately(kOk);
  return kOk;
}

}  // namespace

int run(const RunOptions& options) {
  const bool json = options.log_format == "json";
  log::configure(level_of(options.log_level), json ? log::Format::json : log::Format::text);
  const DiagnosticFormat format = json ? DiagnosticFormat::log : DiagnosticFormat::text;
  start_journal();
  raise_descriptor_limit();
  if (const auto enough = check_descriptors(); !enough)
    return report_failure(enough.error(), format);
  const auto manager = daemon::ServiceManager::from_environment();
  const auto watchdog = loop::Watchdog::start({.early = kOk, .hanging = kFailure});
  if (!watchdog) return report_failure(watchdog.error(), format);
  auto read = read_configuration(options.config);
  if (read && options.standalone) daemon::reject_dra(*read);
  // Mistakes are printed as by other commands. A daemon that can start does not block on the reader
  // of its log; with --standalone each line is written synchronously.
  if (read && read->plan) {
    log::start_writer_thread(options.standalone ? log::RepeatPolicy::keep_all
                                                : log::RepeatPolicy::suppress);
  }
  ConfigInput input = report_configuration(std::move(read), format);
  if (!input.plan) return input.exit_code;
  return run_daemon(options, std::move(input), **watchdog, manager, format);
}

}  // namespace patchbay::cli
