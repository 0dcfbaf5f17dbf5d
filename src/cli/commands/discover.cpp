#include <unistd.h>

#include <algorithm>
#include <chrono>
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
#include "cli/commands/slices_view.h"
#include "cli/commands/status_fields.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/stream_watch.h"
#include "cli/terminal/terminal.h"
#include "daemon/configuration.h"
#include "daemon/unmatched_groups.h"

namespace patchbay::cli {
namespace {

/// The layout for the current standard output.
ResolutionLayout layout_of(OutputFormat output) {
  const bool wide = output == OutputFormat::wide;
  return {.table = {.width = wide ? 0 : terminal_size(STDOUT_FILENO).columns,
                    .color = wants_color(STDOUT_FILENO)},
          .wide = wide};
}

/// The exit code after the result is printed. It says whether the result is incomplete.
int exit_code_after(Printed printed, const inventory::Inventory& inventory) {
  const bool pending =
      std::ranges::any_of(inventory.last().resources,
                          [](const auto& resource) { return !resource.unresponsive.empty(); }) ||
      std::ranges::any_of(inventory.plan()->excluded, &rules::Excluded::unresponsive);
  const int code = exit_code_of(printed);
  return code == kOk && pending ? int{kUnresponsive} : code;
}

int print_slices(const DiscoverOptions& options, const inventory::Inventory& inventory) {
  const std::string& driver = inventory.plan()->driver;
  if (driver.empty()) {
    return report_failure({"the configuration has no DRA driver: add `dra: {driver: NAME}`"});
  }
  const auto node = node_name(options.config);
  if (!node) return report_failure(node.error());
  if (node->empty()) return report_failure({"the name of the node is unknown: give --node-name"});
  const SlicesView view = slices_view(driver, *node, inventory.last());
  for (const std::string& name : view.duplicates) {
    print_error("patchbay: device '" + name +
                "' is omitted (two units have this name): give the second unit another id\n");
  }
  return exit_code_after(print(view.yaml), inventory);
}

int discover_once(const DiscoverOptions& options) {
  return discover_and_answer(
      options.config, options.host,
      [&](const inventory::Inventory& inventory, const paths::HostRoot& root) {
        if (options.dra) return print_slices(options, inventory);
        const Findings found = findings_of(inventory, root);
        const ResolutionLayout layout = layout_of(options.output);
        return exit_code_after(
            print(options.output == OutputFormat::json
                      ? json_text(found.json)
                      : resolution_table(found.json, *inventory.plan(), found.unmatched, layout)),
            inventory);
      });
}

/// Prints the results one after the other. Loop thread.
class Display {
 public:
  Display(OutputFormat output, paths::HostRoot root) : output_(output), root_(std::move(root)) {}

  std::shared_ptr<void> with_loop(loop::UvLoop& loop) {
    loop_ = &loop;
    // A reader can be slow. The loop must not wait for it, because it handles signals.
    if (watch_hang_up(loop, STDOUT_FILENO, [] {})) queue_output();
    std::shared_ptr<void> alive = std::make_shared<bool>();
    weak_self_ = alive;
    return alive;
  }

  /// Prints the state after the nearest candidates of empty resources are known. Their search reads
  /// the host, can be slow and must not block the loop. Changes during the search are printed
  /// afterwards.
  void show(const inventory::Inventory& inventory) {
    inventory_ = &inventory;
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
                  if (!show_now()) return loop_->stop();
                  if (changed_) show(*inventory_);
                });
  }

  /// The result of the last write.
  [[nodiscard]] Printed printed() const { return printed_; }

 private:
  /// Prints the state if it changed. Returns false after a write error.
  bool show_now() {
    const Json model =
        resolution_json(*inventory_->plan(), inventory_->last(), unmatched_, wall_clock_);
    std::string text = json_text(model, -1);
    if (text == shown_) return true;
    printed_ = print(output_ == OutputFormat::json ? text : separator() + table(model));
    shown_ = std::move(text);
    return printed_ == Printed::all;
  }

  [[nodiscard]] std::string table(const Json& model) const {
    ResolutionLayout layout = layout_of(output_);
    layout.since =
        [now = wall_clock_.text(std::chrono::steady_clock::now())](const std::string& utc) {
          return age({{"at", now}}, utc);
        };
    return resolution_table(model, *inventory_->plan(), unmatched_, layout);
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
  bool reading_host_ = false;
  bool changed_ = false;  ///< During the search.
  std::vector<status::UnmatchedGroup> unmatched_;
  std::string shown_;  ///< The last state as JSON.
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
