#include "cli/host_look.h"

#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/config_input.h"
#include "cli/exit_code.h"
#include "cli/process_setup.h"
#include "cli/stream_watch.h"
#include "cli/terminal.h"
#include "daemon/configuration.h"
#include "daemon/device_watch.h"
#include "loop/may_block.h"

namespace patchbay::cli {
namespace {

/// As a prefix of paths: absolute, without a slash at its end; empty for the root itself.
Result<std::string> prefix_of(const std::string& directory) {
  if (directory.empty()) return std::string{};
  const std::string shown = "--host-root: " + printable(directory, 500);
  std::error_code error;
  const auto path = std::filesystem::canonical(directory, error);
  if (error) return fail_errno(shown, error.value());
  if (!std::filesystem::is_directory(path, error)) return fail(shown + " is no directory");
  return path == "/" ? std::string{} : path.string();
}

Result<void> check_rules(const rules::Plan& plan) {
  for (const rules::Rule& rule : plan.index.all()) {
    const auto& match = plan.group(rule).matcher(rule.role);
    if (match.kind() != RuleKind::subsystem && match.kind() != RuleKind::sysfs) {
      continue;
    }
    return fail(fmt::format(
        "{}:{}: a {} rule looks at /sys and /run/udev, which --host-root cannot move; mount the "
        "host's there and leave --host-root out",
        printable(match.at().source->name, 500), match.at().line, rule_word(match.kind())));
  }
  return {};
}

constexpr loop::Milliseconds kSettle{100};
constexpr loop::Milliseconds kLong{1000};

/// A look that is under way. Loop thread.
class HostLook {
 public:
  HostLook(loop::UvLoop& loop, loop::Inotify& inotify, host::HostOptions options,
           const ShowLook& show)
      : loop_(loop),
        show_(show),
        progress_(loop.after(kLong,
                             [] {
                               if (is_terminal(STDERR_FILENO)) {
                                 print_error("looking at the devices…\n");
                               }
                             })),
        devices_(loop, inotify, {.host = std::move(options)},
                 [this](const auto& /*resolution*/, auto /*heard*/) { changed(); }) {}

  Result<void> start(const rules::PlanPtr& plan) { return devices_.set_plan(plan); }

 private:
  void changed() {
    const loop::MayBlock may(true);  // Whoever asked waits for this alone.
    progress_.reset();
    if (settling_) {
      changed_again_ = true;
      return;
    }
    if (!show_(devices_.inventory())) return loop_.stop();
    settling_ = loop_.after(kSettle, [this] {
      settling_.reset();
      if (std::exchange(changed_again_, false)) changed();
    });
  }

  loop::UvLoop& loop_;
  const ShowLook& show_;
  loop::Subscription progress_;
  loop::Subscription settling_;
  bool changed_again_ = false;
  daemon::DeviceWatch devices_;
};

}  // namespace

Result<host::HostOptions> host_options(const HostCommandOptions& options, const rules::Plan& plan,
                                       bool watch) {
  auto root = prefix_of(options.host_root);
  if (!root) return std::unexpected(std::move(root).error());
  if (!root->empty()) {
    if (auto fits = check_rules(plan); !fits) return std::unexpected(std::move(fits).error());
  }
  return host::HostOptions{
      .receive_buffer_bytes = options.udev_buffer_bytes,
      .rescan_period = options.rescan_period,
      .watch = watch,
      .root = host::HostRoot(*std::move(root)),
  };
}

Result<LookEnd> look_at_host(const rules::PlanPtr& plan, host::HostOptions options,
                             const ShowLook& show, const WithLoop& with_loop) {
  hold_signal(SIGTERM);
  hold_signal(SIGINT);
  allow_descriptors();
  loop::UvLoop loop;
  const auto inotify = loop::Inotify::create(loop);
  if (!inotify) return std::unexpected(inotify.error());
  LookEnd end = LookEnd::enough;
  const auto stop_as = [&](LookEnd why) {
    return [&, why] {
      end = why;
      loop.stop();
    };
  };
  const auto terminate = loop.watch_signal(SIGTERM, stop_as(LookEnd::by_signal));
  const auto interrupt = loop.watch_signal(SIGINT, stop_as(LookEnd::by_signal));
  // An error: it is no pipe, and has no reader to lose.
  const auto reader = watch_hang_up(loop, STDOUT_FILENO, stop_as(LookEnd::unread));
  const std::shared_ptr<void> companion = with_loop ? with_loop(loop) : nullptr;
  HostLook look(loop, **inotify, std::move(options), show);
  if (auto started = look.start(plan); !started) return std::unexpected(std::move(started).error());
  loop.run();
  return end;
}

int look_once(const ConfigOptions& config, const HostCommandOptions& host,
              const AnswerLook& answer) {
  const ConfigInput input = read_config(config);
  if (!input.plan) return input.exit_code;
  const auto options = host_options(host, *input.plan, false);
  if (!options) return unable(options.error());
  std::optional<int> exit_code;
  const auto end = look_at_host(daemon::plan_for_this_node(input.plan, options->root), *options,
                                [&](const inventory::Inventory& inventory) {
                                  exit_code = answer(inventory, options->root);
                                  return false;
                                });
  if (!end) return unable(end.error());
  if (exit_code) return *exit_code;
  return *end == LookEnd::unread ? int{kOk} : unable({"ended before the devices were known"});
}

}  // namespace patchbay::cli
