#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/wall_clock.h"
#include "cli/commands/commands.h"
#include "cli/commands/config_input.h"
#include "cli/commands/host_discovery.h"
#include "cli/commands/process_setup.h"
#include "cli/commands/resolution_view.h"
#include "cli/commands/status_fields.h"
#include "cli/commands/watch_screen.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/stream_watch.h"
#include "cli/terminal/terminal.h"
#include "daemon/configuration.h"
#include "daemon/unmatched_groups.h"

namespace patchbay::cli {
namespace {

constexpr const char* kClearScreen = "\x1b[H\x1b[2J";

/// The layout for the current standard output.
ResolutionLayout layout_of(OutputFormat output, TerminalSize size) {
  const bool wide = output == OutputFormat::wide;
  return {.table = {.width = wide ? 0 : size.columns, .color = wants_color(STDOUT_FILENO)},
          .wide = wide};
}

int discover_once(const DiscoverOptions& options) {
  return discover_and_answer(
      options.config, options.host,
      [&](const inventory::Inventory& inventory, const paths::HostRoot& root) {
        const Findings found = findings_of(inventory, root);
        const ResolutionLayout layout = layout_of(options.output, terminal_size(STDOUT_FILENO));
        const int printed = exit_code_of(
            print(options.output == OutputFormat::json
                      ? json_text(found.json)
                      : resolution_table(found.json, *inventory.plan(), found.unmatched, layout)));
        const bool pending =
            std::ranges::any_of(
                inventory.last().resources,
                [](const auto& resource) { return !resource.unresponsive.empty(); }) ||
            std::ranges::any_of(inventory.plan()->excluded, &rules::Excluded::undetermined);
        return printed == kOk && pending ? int{kUnresponsive} : printed;
      });
}

/// Prints the results one after the other. Loop thread.
class Display {
 public:
  Display(OutputFormat output, paths::HostRoot root) : output_(output), root_(std::move(root)) {}

  /// On a terminal with a known size, the table is drawn in place.
  std::shared_ptr<void> with_loop(loop::UvLoop& loop) {
    loop_ = &loop;
    // A reader can be slow. The loop must not wait for it, because it handles signals.
    if (watch_hang_up(loop, STDOUT_FILENO, [] {})) queue_output();
    std::shared_ptr<void> alive = std::make_shared<bool>();
    if (output_ != OutputFormat::json && terminal_size(STDOUT_FILENO).rows > 0) {
      auto screen = std::make_shared<WatchScreen>(
          loop, [this](TerminalSize size) { return table(ages_now(), size); });
      screen_ = screen;
      alive = std::move(screen);
    }
    weak_self_ = alive;
    return alive;
  }

  /// Prints the state after the nearest candidates of empty resources are known. Their search reads
  /// the host, can be slow and must not block the loop. Changes during the search are printed
  /// afterwards.
  void show(const inventory::Inventory& inventory) {
    inventory_ = &inventory;
    json_.clear();
    changed_ = true;
    if (reading_host_) return;
    reading_host_ = true;
    changed_ = false;
    auto found = std::make_shared<std::vector<status::UnmatchedGroup>>();
    loop_->work([found, plan = inventory.plan(), last = inventory.last(),
                 root = root_] { *found = daemon::find_unmatched_groups(*plan, last, root); },
                [this, found, alive = weak_self_] {
                  if (alive.expired()) return;
                  reading_host_ = false;
                  unmatched_ = std::move(*found);
                  json_.clear();
                  if (!show_now()) return loop_->stop();
                  if (changed_) show(*inventory_);
                });
  }

  /// The result of the last write.
  [[nodiscard]] Printed printed() const { return printed_; }

 private:
  /// Prints the state if it changed. Returns false after a write error.
  bool show_now() {
    if (const auto screen = screen_.lock()) {
      printed_ = screen->show();
      return printed_ == Printed::all;
    }
    const bool json = output_ == OutputFormat::json;
    std::string text =
        json ? json_text(model(), -1) : table([](const std::string& utc) { return utc; }, {});
    if (text == shown_) return true;
    printed_ = print(json ? text : separator() + table(ages_now(), {}));
    shown_ = std::move(text);
    return printed_ == Printed::all;
  }

  using SinceText = std::function<std::string(const std::string& utc)>;

  [[nodiscard]] SinceText ages_now() const {
    return [now = wall_clock_.text(std::chrono::steady_clock::now())](const std::string& utc) {
      return age({{"at", now}}, utc);
    };
  }

  /// It is kept until the next change, because ages on a screen are written each second.
  const Json& model() {
    if (json_.empty()) {
      json_ = resolution_json(*inventory_->plan(), inventory_->last(), unmatched_, wall_clock_);
    }
    return json_;
  }

  [[nodiscard]] std::string table(SinceText since, TerminalSize size) {
    if (inventory_ == nullptr) return "";
    ResolutionLayout layout = layout_of(output_, size);
    layout.since = std::move(since);
    return resolution_table(model(), *inventory_->plan(), unmatched_, layout);
  }

  /// On a terminal the table replaces the last one; elsewhere it follows the last one.
  [[nodiscard]] std::string separator() const {
    if (shown_.empty()) return "";
    return is_terminal(STDOUT_FILENO) ? kClearScreen : "\n";
  }

  OutputFormat output_;
  paths::HostRoot root_;
  WallClock wall_clock_ = WallClock::now();
  loop::UvLoop* loop_ = nullptr;
  std::weak_ptr<void> weak_self_;  ///< Valid while the loop owns the display.
  const inventory::Inventory* inventory_ = nullptr;
  Json json_;  ///< See model(). Empty: not made since the last change.
  bool reading_host_ = false;
  bool changed_ = false;  ///< During the search.
  std::vector<status::UnmatchedGroup> unmatched_;
  std::weak_ptr<WatchScreen> screen_;
  std::string shown_;  ///< With times instead of ages, which change on their own.
  Printed printed_ = Printed::all;
};

int follow(const DiscoverOptions& options) {
  const ConfigInput input = read_config(options.config);
  if (!input.plan) return input.exit_code;
  auto host = host_options(options.host, *input.plan, true);
  if (!host) return report_failure(host.error());
  const rules::PlanPtr plan = daemon::plan_for_this_node(input.plan, host->root);
  Display display(options.output, host->root);
  const auto end = run_discovery(
      plan, *std::move(host),
      [&](const inventory::Inventory& inventory) {
        display.show(inventory);
        return true;
      },
      [&](loop::UvLoop& loop) { return display.with_loop(loop); });
  if (!end) return report_failure(end.error());
  flush_output(kLogFlushTimeout);
  return exit_code_of(display.printed());
}

}  // namespace

int discover(const DiscoverOptions& options) {
  return options.watch ? follow(options) : discover_once(options);
}

}  // namespace patchbay::cli
