#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

#include "base/json_text.h"
#include "cli/commands/commands.h"
#include "cli/commands/status_client.h"
#include "cli/commands/status_fields.h"
#include "cli/commands/status_view.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/terminal.h"
#include "loop/event_loop.h"

namespace patchbay::cli {
namespace {

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

/// The groups that no device matches. The daemon scans the host for this, so --watch omits it.
Json unmatched_groups(const StatusOptions& options) {
  const auto address = address_of(options.client);
  const auto body =
      address && !options.watch ? ask_daemon(*address, "/unmatched") : Result<std::string>("{}");
  const Json answer = body ? Json::parse(*body, nullptr, false) : Json();
  return answer.is_object() ? field_at(answer, "unmatchedGroups") : Json();
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
  const Json& resource = *target->resource;
  if (target->unit != nullptr) return unit_text(status, resource, *target->unit, layout);
  const bool is_unmatched = has_unmatched_groups(resource);
  return resource_table(status, resource, is_unmatched ? unmatched_groups(options) : Json(),
                        layout);
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

/// Prints each change, until the daemon exits. On a terminal each answer replaces the last one.
int watch(const StatusOptions& options) {
  loop::UvLoop loop;
  const bool json = options.output == OutputFormat::json;
  const bool on_screen = is_terminal(STDOUT_FILENO) && !json;
  std::string shown;
  return poll_daemon(loop, [&]() -> std::optional<int> {
    const auto status = ask(options);
    const auto text = status ? text_of(*status, options, terminal_size(STDOUT_FILENO), -1)
                             : std::unexpected(status.error());
    if (!text) return report_failure(text.error());
    std::string now = without_time(*status);
    if (now == shown && !on_screen) return std::nullopt;
    const char* separator = on_screen ? kClearScreen : shown.empty() || json ? "" : "\n";
    shown = std::move(now);
    const Printed printed = print(separator + *text);
    return printed == Printed::all ? std::nullopt : std::optional(exit_code_of(printed));
  });
}

}  // namespace

int status(const StatusOptions& options) {
  return options.watch ? watch(options) : show_once(options);
}

}  // namespace patchbay::cli
