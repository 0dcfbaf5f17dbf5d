#include <unistd.h>

#include <chrono>
#include <string>
#include <utility>

#include "base/json_text.h"
#include "cli/commands/commands.h"
#include "cli/commands/status_client.h"
#include "cli/commands/status_view.h"
#include "cli/commands/watch_screen.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/terminal.h"
#include "loop/event_loop.h"

namespace patchbay::cli {
namespace {

constexpr loop::Milliseconds kPeriod{1000};

Result<Json> ask(const StatusOptions& options) {
  const bool deep = !options.word.empty() || options.output == OutputFormat::json;
  const auto address = address_of(options.client);
  if (!address) return std::unexpected(address.error());
  const auto body = ask_daemon(*address, deep ? "/status" : "/status?units=false&refused=false");
  if (!body) return std::unexpected(body.error());
  Json status = Json::parse(*body, nullptr, false);
  if (!status.is_object() || !status.contains("resources")) {
    return fail("the server is not a Patchbay daemon");
  }
  return status;
}

/// The text of the selected part.
Result<std::string> text_of(const Json& status, const StatusOptions& options, TerminalSize size,
                            int indent) {
  const bool wide = options.output == OutputFormat::wide;
  const bool json = options.output == OutputFormat::json;
  const StatusLayout layout{
      .table = {.width = wide ? 0 : size.columns, .color = wants_color(STDOUT_FILENO)},
      .wide = wide};
  if (options.word.empty()) return json ? json_text(status, indent) : status_table(status, layout);
  const auto target = find_target(status, options.word);
  if (!target) return std::unexpected(target.error());
  if (json) return json_text(target->unit != nullptr ? *target->unit : *target->resource, indent);
  return target->unit != nullptr ? unit_text(status, *target->resource, *target->unit, layout)
                                 : resource_table(status, *target->resource, layout);
}

int show_once(const StatusOptions& options) {
  const auto status = ask(options);
  if (!status) return report_failure(status.error());
  const auto text = text_of(*status, options, terminal_size(STDOUT_FILENO), 2);
  return text ? exit_code_of(print(*text)) : report_failure(text.error());
}

/// Without times, which change on their own, and the runs of probes.
std::string without_time(Json status) {
  status.erase("at");
  status.erase("eventCounts");
  for (Json& resource : status["resources"]) {
    resource.erase("history");
    if (!resource.contains("units")) continue;
    for (Json& unit : resource["units"]) {
      for (Json& probe : unit["probes"]) {
        for (const char* name : {"at", "durationSeconds", "runningSince"}) probe.erase(name);
      }
    }
  }
  if (const auto asked = status.find("podResources"); asked != status.end()) {
    asked->erase("lastQueryTime");
    asked->erase("lastSuccessTime");
  }
  return status.dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// Prints a JSON line after each change, until the daemon exits.
int watch_lines(const StatusOptions& options) {
  loop::UvLoop loop;
  std::string shown;
  int exit_code = kOk;
  const auto poll = [&] {
    const auto status = ask(options);
    const auto text = status ? text_of(*status, options, {}, -1) : std::unexpected(status.error());
    if (!text) {
      exit_code = report_failure(text.error());
      return loop.stop();
    }
    std::string now = without_time(*status);
    if (now == shown) return;
    const bool first = shown.empty();
    shown = std::move(now);
    const bool json = options.output == OutputFormat::json;
    const Printed printed = print(first || json ? *text : "\n" + *text);
    if (printed == Printed::all) return;
    exit_code = exit_code_of(printed);
    loop.stop();
  };
  const auto first = loop.after(loop::Milliseconds(0), poll);
  const auto period = loop.every(kPeriod, poll);
  loop.run();
  return exit_code;
}

int watch_screen(const StatusOptions& options) {
  loop::UvLoop loop;
  Result<Json> status = ask(options);
  if (!status) return report_failure(status.error());
  WatchScreen screen(loop, [&](TerminalSize size) {
    const auto text = status ? text_of(*status, options, size, 2) : std::unexpected(status.error());
    return text ? *text : text.error().message + "\n";
  });
  Printed printed = screen.show();
  const auto period = loop.every(kPeriod, [&] {
    status = ask(options);
    printed = screen.show();
    if (printed != Printed::all) loop.stop();
  });
  loop.run();
  return exit_code_of(printed);
}

}  // namespace

int status(const StatusOptions& options) {
  if (!options.watch) return show_once(options);
  const bool on_screen = is_terminal(STDOUT_FILENO) && options.output != OutputFormat::json;
  return on_screen ? watch_screen(options) : watch_lines(options);
}

}  // namespace patchbay::cli
