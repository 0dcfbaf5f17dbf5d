#include <unistd.h>

#include <string>

#include "base/json_text.h"
#include "cli/commands/commands.h"
#include "cli/commands/status_client.h"
#include "cli/commands/status_view.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/terminal.h"

namespace patchbay::cli {
namespace {

/// One event on one line, for people or for programs.
std::string line_of(const Json& event, OutputFormat output, bool color) {
  return output == OutputFormat::json ? json_text(event, -1) : event_line(event, color);
}

/// Prints the known events and then new ones.
int follow_events(const StatusAddress& address, const EventsOptions& options, bool color) {
  Printed printed = Printed::all;
  const auto end = follow_daemon(address, "/events?after=0", [&](const std::string& data) {
    const Json event = Json::parse(data, nullptr, false);
    if (event.is_object()) printed = print(line_of(event, options.output, color));
    return printed == Printed::all;
  });
  return end ? exit_code_of(printed) : report_failure(end.error());
}

}  // namespace

int events(const EventsOptions& options) {
  const bool color = wants_color(STDOUT_FILENO);
  const auto address = address_of(options.client);
  if (!address) return report_failure(address.error());
  if (options.follow) return follow_events(*address, options, color);
  const auto body = ask_daemon(*address, "/events?after=0");
  if (!body) return report_failure(body.error());
  const Json list = Json::parse(*body, nullptr, false);
  if (!list.is_array()) return report_failure(Error{"the server is not a Patchbay daemon"});
  if (options.output == OutputFormat::json) return exit_code_of(print(json_text(list)));
  std::string text;
  for (const Json& event : list) text += event_line(event, color);
  return exit_code_of(print(text));
}

}  // namespace patchbay::cli
