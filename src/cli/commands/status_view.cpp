#include "cli/commands/status_view.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/assignments_view.h"
#include "cli/commands/claims_view.h"
#include "cli/commands/config_input.h"
#include "cli/commands/find_unit.h"
#include "cli/commands/status_fields.h"
#include "cli/commands/unit_tables.h"

namespace patchbay::cli {
namespace {

Cell state_cell(const Json& registration) {
  struct Shown {
    std::string_view word;
    const char* text;
    Style style;
  };
  constexpr std::array kShown = std::to_array<Shown>({
      {"registered", "registered", Style::good},
      {"standby", "standby", Style::plain},
      {"noKubelet", "no kubelet", Style::warning},
      {"registering", "registering", Style::warning},
      {"backingOff", "registration failed", Style::bad},
      {"pending", "pending", Style::warning},
      {"withdrawing", "withdrawing", Style::plain},
      {"heldBack", "held back", Style::warning},
      {"notPublished", "not published", Style::warning},
  });
  const std::string state = text_at(registration, "state");
  const bool dra = text_at(registration, "kind") == "dra";
  if (dra && state == "registered") return {"DRA: published", Style::good};
  for (const Shown& shown : kShown) {
    if (shown.word == state) return {(dra ? "DRA: " : "") + std::string(shown.text), shown.style};
  }
  return {shown(state)};
}

Cell count_cell(uint64_t count, Style style) {
  return {std::to_string(count), count == 0 ? Style::plain : style};
}

Table probes_of(const Json& status, const Json& unit) {
  Table table{.columns = {{.title = "PROBE", .min_width = 16},
                          {.title = "RESULT"},
                          {.title = "AGO"},
                          {.title = "TOOK"},
                          {.title = "REASON", .min_width = 16}},
              .rows = {}};
  for (const Json& probe : field_at(unit, "probes")) {
    const std::string result = text_at(probe, "result");
    const std::string runs = text_at(probe, "runningSince");
    const auto seconds = probe.find("durationSeconds");
    const bool known = result != "none";
    Cell how(known ? shown(result) : "not yet", result == "passed" ? Style::good
                                                : known            ? Style::bad
                                                                   : Style::plain);
    std::string reason = shown(text_at(probe, "reason"));
    if (!runs.empty())
      reason += (reason.empty() ? "" : "; ") + ("running for " + age(status, runs));
    if (flag_at(probe, "overdue")) reason += (reason.empty() ? "" : "; ") + std::string("overdue");
    table.rows.push_back({shown(text_at(probe, "probe")), std::move(how),
                          known ? age(status, text_at(probe, "at")) : "-",
                          known && seconds != probe.end() && seconds->is_number()
                              ? fmt::format("{:.1f} ms", seconds->get<double>() * 1000)
                              : "-",
                          std::move(reason)});
  }
  return table;
}

/// A few resource names, as help.
std::string some_resources(const Json& status) {
  constexpr size_t kShown = 5;
  const Json& resources = field_at(status, "resources");
  std::string text;
  for (size_t at = 0; at < std::min(resources.size(), kShown); ++at) {
    text += (at == 0 ? "; the resources are " : ", ") + shown(text_at(resources[at], "name"));
  }
  if (resources.size() > kShown) text += fmt::format(" and {} more", resources.size() - kShown);
  return text.empty() ? "; this node has no resource" : text;
}

/// The nearest device of each group without a device, as on the page.
std::string nearest_devices(const Json& resource, const Json& unmatched) {
  std::string text;
  for (const Json& group : unmatched) {
    if (text_at(group, "resource") != text_at(resource, "name")) continue;
    const std::string nearest = text_at(group, "nearestDevice");
    const std::string reason = text_at(group, "reason");
    text += fmt::format("{}:{}: ", shown(text_at(group, "file")), number_at(group, "line"));
    text += nearest.empty()
                ? (reason.empty() ? "no device to compare" : shown(reason)) + "\n"
                : fmt::format("{} compared; the nearest is {}, but:\n",
                              count_text(number_at(group, "candidates"), "device"), shown(nearest));
    for (const Json& condition : field_at(group, "conditions")) {
      const auto depth = std::min<uint64_t>(number_at(condition, "depth"), 10);
      text +=
          fmt::format("{:{}}{}: {}\n", "", 2 * depth + 2, shown(text_at(condition, "condition")),
                      shown(text_at(condition, "actual")));
    }
  }
  return text;
}

}  // namespace

std::string status_table(const Json& status, const StatusLayout& layout) {
  Table table{.columns = {{.title = "RESOURCE", .min_width = 12, .keeps_end = true},
                          {.title = "UNITS"},
                          {.title = "OK"},
                          {.title = "BAD"},
                          {.title = "REFUSED"},
                          {.title = "ALLOCATED"},
                          {.title = "ALLOCATE CALLS", .droppable = true},
                          {.title = "STATE"},
                          {.title = "SINCE"},
                          {.title = "REASON", .min_width = 16}},
              .rows = {}};
  bool any_assigned = false;
  for (const Json& resource : field_at(status, "resources")) {
    const Json& counts = field_at(resource, "counts");
    const bool has_assigned_count =
        counts.contains("allocated") && counts["allocated"].is_number_unsigned();
    any_assigned = any_assigned || has_assigned_count;
    const Json& registration = field_at(resource, "registration");
    const Json& allocate = field_at(field_at(resource, "counters"), "allocate");
    const uint64_t refused = number_at(counts, "refused") + number_at(counts, "incomplete");
    table.rows.push_back(
        {shown(text_at(resource, "name")), std::to_string(number_at(counts, "units")),
         count_cell(number_at(counts, "healthy"), Style::good),
         count_cell(number_at(counts, "unhealthy"), Style::bad),
         count_cell(refused, Style::warning),
         has_assigned_count ? std::to_string(number_at(counts, "allocated")) : "-",
         std::to_string(number_at(allocate, "succeeded")), state_cell(registration),
         age(status, text_at(registration, "since")), shown(text_at(registration, "reason"))});
  }
  std::string text = status_head(status, layout) + "\n";
  const std::string claims = claims_text(status, "", layout.table);
  if (table.rows.empty()) return text + "all resources are excluded on this node\n" + claims;
  if (!any_assigned) table.drop("ALLOCATED");
  text += format_table(std::move(table), layout.table);
  if (Table gone = withdrawn_units_table(status, "", layout.wide); !gone.rows.empty()) {
    text += "\n" + format_table(std::move(gone), layout.table);
  }
  if (Table lost = lost_units_table(field_at(status, "resources"), true); !lost.rows.empty()) {
    text += "\n" + format_table(std::move(lost), layout.table);
  }
  text += claims;
  std::string warnings;
  for (const Json& resource : field_at(status, "resources"))
    warnings += warnings_of(resource, layout.table);
  if (!warnings.empty()) text += "\n" + warnings;
  const size_t excluded = field_at(status, "excluded").size();
  if (excluded > 0) {
    text += fmt::format("\nexcluded on this node: {} resource{} or group{} of a resource\n",
                        excluded, excluded == 1 ? "" : "s", excluded == 1 ? "" : "s");
  }
  return text;
}

bool has_unmatched_groups(const Json& resource) {
  const Json& counts = field_at(resource, "counts");
  return number_at(counts, "units") + number_at(counts, "refused") +
             number_at(counts, "incomplete") + field_at(resource, "unresponsive").size() ==
         0;
}

std::string resource_table(const Json& status, const Json& resource, const Json& unmatched,
                           const StatusLayout& layout) {
  const Json& registration = field_at(resource, "registration");
  const Cell state = state_cell(registration);
  std::string text = shown(text_at(resource, "name")) + ": " +
                     colored(state.text, state.style, layout.table.color) + " since " +
                     age(status, text_at(registration, "since"));
  const std::string failure = text_at(registration, "reason");
  if (!failure.empty()) text += ": " + shown(failure);
  text += "\n";
  const std::string description = text_at(resource, "description");
  if (!description.empty()) text += shown(description) + "\n";
  text += "\n";
  const Json only = Json::array({resource});
  const UnitColumns columns{
      .since = [&](const std::string& utc) { return age(status, utc); },
      .allocated_to = [&](const Json& unit) { return assignments_text(status, unit, layout.wide); },
      .wide = layout.wide};
  Table units = unit_table(only, columns);
  text += units.rows.empty() ? "no unit is offered\n" + nearest_devices(resource, unmatched)
                             : format_table(std::move(units), layout.table);
  if (Table refused = not_offered_table(only, columns); !refused.rows.empty()) {
    text += "\n" + format_table(std::move(refused), layout.table);
  }
  if (Table gone = withdrawn_units_table(status, text_at(resource, "name"), layout.wide);
      !gone.rows.empty()) {
    text += "\n" + format_table(std::move(gone), layout.table);
  }
  if (Table lost = lost_units_table(only, false); !lost.rows.empty()) {
    text += "\n" + format_table(std::move(lost), layout.table);
  }
  text += claims_text(status, text_at(resource, "name"), layout.table);
  if (const std::string more = warnings_of(resource, layout.table); !more.empty()) {
    text += "\n" + more;
  }
  return text;
}

std::string unit_text(const Json& status, const Json& resource, const Json& unit,
                      const StatusLayout& layout) {
  const Cell health = health_cell(unit);
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += fmt::format("{:<14}{}\n", name, value);
  };
  line("unit", shown(text_at(unit, "id")));
  line("resource", shown(text_at(resource, "name")));
  line("state", colored(health.text, health.style, layout.table.color) + " since " +
                    age(status, text_at(unit, "since")) + " (" + shown(text_at(unit, "since")) +
                    ")");
  line("reason", reason_of(unit));
  line("id from", shown(text_at(unit, "idSource")));
  const uint64_t shares = number_at(unit, "shares");
  line("shares", shares == 0 ? "" : std::to_string(shares));
  line("NUMA", joined_nodes(unit));
  for (const Json& member : field_at(unit, "members")) {
    const std::string role = text_at(member, "role");
    line(role.empty() ? "device" : shown(role), shown(text_at(member, "key")));
    line("", shown(text_at(member, "devnode")));
  }
  const char* title = "allocated to";
  for (const Json& holder : field_at(unit, "allocatedTo")) {
    const std::string since = text_at(holder, "since");
    line(std::exchange(title, ""),
         container_text(holder) + " since " + age(status, since) + " (" + shown(since) + ")");
  }
  if (const std::string at = text_at(unit, "lastAllocateTime"); !at.empty()) {
    line("allocated", age(status, at) + " ago (" + shown(at) + ")");
  }
  if (Table probes = probes_of(status, unit); !probes.rows.empty()) {
    text += "\n" + format_table(std::move(probes), layout.table);
  }
  return text;
}

std::string event_line(const Json& event, bool color) {
  const std::string level = text_at(event, "level");
  const Style style = level == "error"     ? Style::bad
                      : level == "warning" ? Style::warning
                                           : Style::plain;
  std::string text = shown(text_at(event, "at")) + "  " +
                     colored(fmt::format("{:<14}", shown(text_at(event, "kind"))), style, color);
  for (const char* name : {"resource", "unit"}) {
    if (const std::string value = text_at(event, name); !value.empty()) text += shown(value) + "  ";
  }
  text += shown(text_at(event, "message"));
  if (const std::string detail = text_at(event, "fields"); !detail.empty()) {
    text += ": " + shown(detail);
  }
  return text + "\n";
}

Result<StatusTarget> find_target(const Json& status, const std::string& word) {
  std::vector<std::string> known;
  std::vector<StatusTarget> found;
  for (const Json& resource : field_at(status, "resources")) {
    const std::string name = text_at(resource, "name");
    known.push_back(shown(name));
    if (name == word) return StatusTarget{.resource = &resource};
    if (name.ends_with("/" + word)) found.push_back({.resource = &resource});
  }
  for (const Json& resource : field_at(status, "resources")) {
    for (const Json& unit : field_at(resource, "units")) {
      const std::string id = text_at(unit, "id");
      known.push_back(shown(id));
      if (id == word || (word.starts_with(id) && word.substr(id.size()).starts_with("::"))) {
        found.push_back({.resource = &resource, .unit = &unit});
      }
    }
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    const std::string target = did_you_mean(word, known);
    return fail("no resource or unit has the name '" + printable(word) + "'" +
                (target.empty() ? some_resources(status) : target));
  }
  std::string names;
  for (const StatusTarget& target : found) names += " " + shown(text_at(*target.resource, "name"));
  return fail("'" + printable(word) + "' is ambiguous: name one of the resources" + names);
}

}  // namespace patchbay::cli
