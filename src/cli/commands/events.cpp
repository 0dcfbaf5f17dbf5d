#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json_text.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/status_client.h"
#include "cli/commands/status_fields.h"
#include "cli/commands/status_view.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/terminal.h"

namespace patchbay::cli {
namespace {

/// The events after that number.
Result<Json> ask(const StatusAddress& address, uint64_t after) {
  const auto body = ask_daemon(address, "/events?after=" + std::to_string(after), kMaxEventsBytes);
  if (!body) return std::unexpected(body.error());
  Json list = Json::parse(*body, nullptr, false);
  if (!list.is_array()) return fail("the server is not a Patchbay daemon");
  return list;
}

/// Whether the event belongs to that resource, with or without its domain, or to that unit or one
/// of its shares.
bool belongs_to(const Json& event, const std::string& word) {
  const std::string resource = text_at(event, "resource");
  if (resource == word || resource.ends_with("/" + word)) return true;
  const std::string units = text_at(event, "unit");
  return std::ranges::any_of(split(units, ','), [&](std::string_view id) {
    return id == word || id.starts_with(word + "::");
  });
}

/// The events of that resource or unit; empty: all.
Json selected(Json list, const std::string& word) {
  Json events = Json::array();
  for (Json& event : list) {
    if (word.empty() || belongs_to(event, word)) events.push_back(std::move(event));
  }
  return events;
}

/// Prints the known events and then new ones.
int follow_events(const StatusAddress& address, const EventsOptions& options, bool color) {
  loop::UvLoop loop;
  Json newest;
  return poll_daemon(loop, [&]() -> std::optional<int> {
    const uint64_t number = newest.is_null() ? 0 : number_at(newest, "number");
    auto list = ask(address, number == 0 ? 0 : number - 1);
    // Another daemon numbers its events from 1 again.
    const bool is_continued = list && !list->empty() && list->front() == newest;
    if (list && number > 0 && !is_continued) list = ask(address, 0);
    if (!list) return report_failure(list.error());
    if (is_continued) list->erase(0);
    if (!list->empty()) newest = list->back();
    for (const Json& event : selected(*std::move(list), options.word)) {
      const Printed printed = print(
          options.output == OutputFormat::json ? json_text(event, -1) : event_line(event, color));
      if (printed != Printed::all) return exit_code_of(printed);
    }
    return std::nullopt;
  });
}

}  // namespace

int events(const EventsOptions& options) {
  const bool color = wants_color(STDOUT_FILENO);
  const auto address = address_of(options.client);
  if (!address) return report_failure(address.error());
  if (options.follow) return follow_events(*address, options, color);
  auto all = ask(*address, 0);
  if (!all) return report_failure(all.error());
  const Json list = selected(*std::move(all), options.word);
  if (options.output == OutputFormat::json) return exit_code_of(print(json_text(list)));
  std::string text;
  for (const Json& event : list) text += event_line(event, color);
  return exit_code_of(print(text));
}

}  // namespace patchbay::cli
