#include <unistd.h>

#include <string>
#include <utility>

#include "cli/commands.h"
#include "cli/config_input.h"
#include "cli/exit_code.h"
#include "cli/host_look.h"
#include "cli/host_options.h"
#include "cli/nothing_found.h"
#include "cli/resolution_view.h"
#include "cli/terminal.h"
#include "cli/wall_clock.h"
#include "daemon/configuration.h"

namespace patchbay::cli {
namespace {

constexpr const char* kClearScreen = "\x1b[H\x1b[2J";

int discover_once(const DiscoverOptions& options) {
  return look_once(
      options.config, options.host,
      [&](const inventory::Inventory& inventory, const std::string& root) {
        const rules::Plan& plan = *inventory.plan();
        const auto nothing = nothing_found(inventory, root);
        return exit_code_of(print(options.output == OutputFormat::json
                                      ? resolution_json(plan, inventory.last(), nothing,
                                                        JsonLayout::indented, WallClock::now())
                                      : resolution_table(plan, inventory.last(), nothing)));
      });
}

/// What was shown, one after the other.
class Display {
 public:
  Display(OutputFormat output, std::string root) : output_(output), root_(std::move(root)) {}

  /// Shows it if it looks otherwise than the last. False: it could not be written.
  bool show(const inventory::Inventory& inventory) {
    const rules::Plan& plan = *inventory.plan();
    const auto nothing = nothing_found(inventory, root_);
    std::string text =
        output_ == OutputFormat::json
            ? resolution_json(plan, inventory.last(), nothing, JsonLayout::one_line, wall_clock_)
            : resolution_table(plan, inventory.last(), nothing, wall_clock_);
    if (text == shown_) return true;
    printed_ = print(separator() + text);
    shown_ = std::move(text);
    return printed_ == Printed::all;
  }

  /// How the last output went.
  [[nodiscard]] Printed printed() const { return printed_; }

 private:
  /// On a terminal the table is drawn in place of the last; elsewhere each one follows the last.
  [[nodiscard]] std::string separator() const {
    if (shown_.empty() || output_ == OutputFormat::json) return "";
    return is_terminal(STDOUT_FILENO) ? kClearScreen : "\n";
  }

  OutputFormat output_;
  std::string root_;
  WallClock wall_clock_ = WallClock::now();
  std::string shown_;
  Printed printed_ = Printed::all;
};

int follow(const DiscoverOptions& options) {
  const ConfigInput input = read_config(options.config);
  if (!input.plan) return input.exit_code;
  auto host = host_options(options.host, *input.plan, true);
  if (!host) return unable(host.error());
  const rules::PlanPtr plan = daemon::plan_for_this_node(input.plan, host->root);
  Display display(options.output, host->root);
  const auto end = look_at_host(plan, *std::move(host), [&](const inventory::Inventory& inventory) {
    return display.show(inventory);
  });
  if (!end) return unable(end.error());
  return exit_code_of(display.printed());
}

}  // namespace

int discover(const DiscoverOptions& options) {
  return options.watch ? follow(options) : discover_once(options);
}

}  // namespace patchbay::cli
