#include "cli/commands/host_discovery.h"

#include <signal.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/config_input.h"
#include "cli/commands/process_setup.h"
#include "cli/commands/text_file.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/stream_watch.h"
#include "cli/terminal/terminal.h"
#include "daemon/configuration.h"
#include "daemon/device_watch.h"
#include "loop/may_block.h"
#include "machine/machine_files.h"
#include "machine/machine_text.h"
#include "paths/host_root.h"

namespace patchbay::cli {
namespace {

constexpr loop::Milliseconds kSettle{100};
constexpr loop::Milliseconds kProgressDelay{1000};

/// One scan of the host. Loop thread.
class HostDiscovery {
 public:
  HostDiscovery(loop::UvLoop& loop, loop::Inotify& inotify, host::HostOptions options,
                const ShowInventory& show)
      : loop_(loop),
        show_(show),
        watches_(options.watch),
        progress_(loop.after(kProgressDelay,
                             [] {
                               if (is_terminal(STDERR_FILENO)) {
                                 print_error("reading the devices…\n");
                               }
                             })),
        devices_(loop, inotify, {.host = std::move(options)},
                 [this](const auto& /*resolution*/) { changed(); }) {}

  void start(const rules::PlanPtr& plan) { devices_.set_plan(plan); }
  [[nodiscard]] const inventory::Inventory& inventory() const { return devices_.inventory(); }

 private:
  void changed() {
    if (!watches_) return loop_.stop();
    const loop::MayBlock may(true);  // The caller does nothing else meanwhile.
    progress_.reset();
    if (settling_) {
      change_pending_ = true;
      return;
    }
    if (!show_(devices_.inventory())) return loop_.stop();
    settling_ = loop_.after(kSettle, [this] {
      settling_.reset();
      if (std::exchange(change_pending_, false)) changed();
    });
  }

  loop::UvLoop& loop_;
  const ShowInventory& show_;
  const bool watches_;
  loop::Subscription progress_;
  loop::Subscription settling_;
  bool change_pending_ = false;
  daemon::DeviceWatch devices_;
};

}  // namespace

Result<paths::HostRoot> read_recorded_root(const std::string& file) {
  const auto text = read_text_file(file);
  if (!text) return std::unexpected(text.error());
  const auto machine = machine::read_machine(file, *text);
  if (!machine) return std::unexpected(machine.error());
  for (const std::string& note : machine->left_out) print_error("patchbay: " + note + "\n");
  return paths::HostRoot(machine::files_of(*machine));
}

Result<host::HostOptions> host_options(const HostCommandOptions& options, const rules::Plan& plan,
                                       bool watch) {
  auto root = options.machine.empty() ? daemon::host_root(options.host_root, plan)
                                      : read_recorded_root(options.machine);
  if (!root) return std::unexpected(std::move(root).error());
  return host::HostOptions{
      .receive_buffer_bytes = options.udev_buffer_bytes,
      .rescan_period = options.rescan_period,
      .watch = watch,
      .root = *std::move(root),
  };
}

Result<DiscoveryEnd> run_discovery(const rules::PlanPtr& plan, host::HostOptions options,
                                   const ShowInventory& show, const LoopCompanion& with_loop) {
  // A recorded machine starts no program that must be ended. So signals have their default action.
  const bool handles_signals = !options.root.is_recorded();
  if (handles_signals) {
    block_signal(SIGTERM);
    block_signal(SIGINT);
  }
  raise_descriptor_limit();
  loop::UvLoop loop;
  const auto inotify = loop::Inotify::create(loop);
  if (!inotify) return std::unexpected(inotify.error());
  DiscoveryEnd end = DiscoveryEnd::enough;
  const auto stop_as = [&](DiscoveryEnd why) {
    return [&, why] {
      end = why;
      loop.stop();
    };
  };
  loop::Subscription terminate;
  loop::Subscription interrupt;
  if (handles_signals) {
    terminate = loop.watch_signal(SIGTERM, stop_as(DiscoveryEnd::by_signal));
    interrupt = loop.watch_signal(SIGINT, stop_as(DiscoveryEnd::by_signal));
  }
  const bool watches = options.watch;
  std::vector<loop::Subscription> client;
  if (watches) client = watch_client(loop, stop_as(DiscoveryEnd::client_gone));
  const std::shared_ptr<void> companion = with_loop ? with_loop(loop) : nullptr;
  HostDiscovery discovery(loop, **inotify, std::move(options), show);
  discovery.start(plan);
  loop.run();
  // From here on the caller may block, such as on a reader of its output. Signals end it.
  loop.end_processes();
  terminate.reset();
  interrupt.reset();
  if (handles_signals) unblock_termination_signals();
  if (end == DiscoveryEnd::enough && !watches) show(discovery.inventory());
  return end;
}

int discover_and_answer(const ConfigOptions& config, const HostCommandOptions& host,
                        const AnswerFromInventory& answer) {
  const ConfigInput input = read_config(config);
  if (!input.plan) return input.exit_code;
  const auto options = host_options(host, *input.plan, false);
  if (!options) return report_failure(options.error());
  std::optional<int> exit_code;
  const auto end = run_discovery(daemon::plan_for_this_node(input.plan, options->root), *options,
                                 [&](const inventory::Inventory& inventory) {
                                   exit_code = answer(inventory, options->root);
                                   return false;
                                 });
  if (!end) return report_failure(end.error());
  if (exit_code) return *exit_code;
  return report_failure({"stopped before the devices were known"});
}

}  // namespace patchbay::cli
