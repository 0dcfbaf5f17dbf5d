#include <signal.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "cli/commands.h"
#include "cli/config_input.h"
#include "cli/exit_code.h"
#include "cli/host_options.h"
#include "cli/process_setup.h"
#include "cli/resolution_view.h"
#include "cli/stream_watch.h"
#include "cli/terminal.h"
#include "cli/wall_clock.h"
#include "daemon/configuration.h"
#include "daemon/device_watch.h"

namespace patchbay::cli {
namespace {

constexpr const char* kClearScreen = "\x1b[H\x1b[2J";
/// After a change is shown at once, further ones within this time are shown together.
constexpr loop::Milliseconds kSettle{100};

/// Shows what the host offers: once, or whenever it changes. Loop thread.
class Discovery {
 public:
  Discovery(loop::UvLoop& loop, loop::Inotify& inotify, const DiscoverOptions& options,
            const rules::PlanPtr& plan, host::HostOptions host)
      : loop_(loop),
        options_(options),
        devices_(loop, inotify, plan, {.host = std::move(host)},
                 [this](const inventory::Resolution&) { changed(); }) {}

  Result<void> start() { return devices_.start(); }

  /// How the last output went; none: there was none yet.
  [[nodiscard]] std::optional<Printed> printed() const { return printed_; }

 private:
  void changed() {
    if (settling_) {
      changed_again_ = true;
      return;
    }
    show();
    if (!options_.watch) return loop_.stop();
    settling_ = loop_.after(kSettle, [this] {
      settling_.reset();
      if (std::exchange(changed_again_, false)) changed();
    });
  }

  void show() {
    const rules::Plan& plan = *devices_.inventory().plan();
    const inventory::Resolution& resolution = devices_.inventory().last();
    std::string text = options_.output == OutputFormat::json ? json(plan, resolution)
                                                             : resolution_table(plan, resolution);
    if (text == shown_) return;
    printed_ = print(separator() + text);
    shown_ = std::move(text);
    if (printed_ != Printed::all) loop_.stop();
  }

  /// Who looks once cannot know since when anything is so.
  [[nodiscard]] std::string json(const rules::Plan& plan,
                                 const inventory::Resolution& resolution) const {
    return options_.watch ? resolution_json(plan, resolution, -1, wall_clock_)
                          : resolution_json(plan, resolution, 2);
  }

  /// On a terminal the table is drawn in place of the last; elsewhere each one follows the last.
  [[nodiscard]] std::string separator() const {
    if (shown_.empty() || options_.output == OutputFormat::json) return "";
    return is_terminal(STDOUT_FILENO) ? kClearScreen : "\n";
  }

  loop::UvLoop& loop_;
  const DiscoverOptions& options_;
  WallClock wall_clock_ = WallClock::now();
  std::string shown_;
  std::optional<Printed> printed_;
  bool changed_again_ = false;
  loop::Subscription settling_;
  daemon::DeviceWatch devices_;
};

/// `unread`: nobody reads what would be printed.
int end_of(const DiscoverOptions& options, const Discovery& discovery, bool unread) {
  if (discovery.printed()) return exit_code_of(*discovery.printed());
  return options.watch || unread ? kOk : unable({"ended before the devices were known"});
}

}  // namespace

int discover(const DiscoverOptions& options) {
  const ConfigInput input = read_config(options.config);
  if (!input.plan) return input.exit_code;
  auto host = host_options(options.host, *input.plan, options.watch);
  if (!host) return unable(host.error());
  const rules::PlanPtr plan = daemon::plan_for_this_node(input.plan, host->root);

  prepare_process();
  loop::UvLoop loop;
  const auto inotify = loop::Inotify::create(loop);
  if (!inotify) return unable(inotify.error());
  const auto stop = [&loop] { loop.stop(); };
  const auto terminate = loop.watch_signal(SIGTERM, stop);
  const auto interrupt = loop.watch_signal(SIGINT, stop);
  bool unread = false;
  const auto reader = watch_hang_up(loop, STDOUT_FILENO, [&] {
    unread = true;
    loop.stop();
  });
  Discovery discovery(loop, **inotify, options, plan, *std::move(host));
  const auto progress = loop.after(loop::Milliseconds(1000), [&discovery] {
    if (!discovery.printed() && is_terminal(STDERR_FILENO)) {
      print_error("looking at the devices…\n");
    }
  });
  if (const auto started = discovery.start(); !started) return unable(started.error());
  loop.run();
  return end_of(options, discovery, unread);
}

}  // namespace patchbay::cli
