#include "cli/commands/suggestion_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/terminal/table.h"
#include "config/yaml_writer.h"
#include "suggest/kinds.h"

namespace patchbay::cli {
namespace {

using config::YamlNode;
using suggest::NotSuggested;
using suggest::Suggestion;
using suggest::TriedUnit;

std::string title(const suggest::Proposal& proposal) {
  const std::string& about = proposal.candidate->kind->about;
  return proposal.model.empty() ? about : about + ": " + printable(proposal.model);
}

/// The text with `# ` before each line.
std::string as_comment(const std::string& text) {
  std::string out;
  if (text.empty()) return out;
  for (const std::string_view line : split(trim_end(text), '\n')) {
    out += line.empty() ? "#\n" : fmt::format("# {}\n", line);
  }
  return out;
}

std::vector<std::vector<std::string>> unit_rows(const Suggestion& suggestion) {
  std::vector<std::vector<std::string>> rows;
  for (const TriedUnit& unit : suggestion.units) {
    std::string state = unit.reason.empty() ? "offered" : "unhealthy: " + shown(unit.reason);
    if (!unit.asked) state += ", also matches";
    rows.push_back({"  " + shown(suggestion.proposal.name), shown(unit.id),
                    shown(join(unit.devices, " ")), std::move(state)});
  }
  return rows;
}

/// The needs of containers, each with the resources that have it.
std::string needs_of(const std::vector<Suggestion>& suggestions) {
  std::vector<std::pair<std::string, std::vector<std::string>>> needs;
  for (const Suggestion& suggestion : suggestions) {
    const std::string& text = suggestion.proposal.candidate->kind->container;
    if (text.empty()) continue;
    auto known = std::ranges::find(needs, text, [](const auto& need) { return need.first; });
    if (known == needs.end()) known = needs.insert(needs.end(), {text, {}});
    known->second.push_back(shown(suggestion.proposal.name));
  }
  std::string lines;
  for (const auto& [text, names] : needs) {
    lines += fmt::format("A container with {} needs {}.\n", join(names, " or "), text);
  }
  return lines;
}

/// Whether the node can use such devices without a sign in /sys or udev's data.
bool may_be_mounted_or_routed(const Suggestion& suggestion) {
  const YamlNode* const match = value_of(suggestion.proposal.resource, "match");
  const std::string subsystem = config::text_of(*match, "subsystem");
  return subsystem == "block" || subsystem == "net" || subsystem == "pci";
}

/// Reasons for care. With `--all`, the doubtful rules have their reasons already.
std::string cautions_of(const suggest::Report& report) {
  std::string lines;
  bool unchecked = std::ranges::any_of(report.doubtful, may_be_mounted_or_routed);
  for (const Suggestion& suggestion : report.suggestions) {
    const std::string name = shown(suggestion.proposal.name);
    unchecked = unchecked || may_be_mounted_or_routed(suggestion);
    const std::string& doubtful = suggestion.proposal.candidate->kind->doubtful;
    const std::string& why = suggestion.in_use.empty() ? doubtful : suggestion.in_use;
    if (!why.empty()) lines += fmt::format("Caution with {}: {}.\n", name, shown(why));
    if (!suggestion.narrowed.empty()) {
      lines += fmt::format("{} matches only this device: {}.\n", name, shown(suggestion.narrowed));
    }
  }
  if (unchecked && !report.sees_node) {
    lines += fmt::format(
        "Not checked: mounts, swap space and routes of the node, which {}.\n",
        report.recorded ? "the file does not have" : "this container does not see (hostPID)");
  }
  return lines;
}

/// The units of the tried rules, and the needs of a Pod.
std::string report_of(const suggest::Report& report) {
  std::vector<std::vector<std::string>> rows;
  std::string notes;
  std::string limits;
  for (const Suggestion& suggestion : report.suggestions) {
    for (auto& row : unit_rows(suggestion)) rows.push_back(std::move(row));
    const std::string name = shown(suggestion.proposal.name);
    for (const std::string& refused : suggestion.refused) {
      notes += fmt::format("{} does not offer {}.\n", name, shown(refused));
    }
    if (!suggestion.taken.empty()) notes += shown(suggestion.taken) + ".\n";
    if (!suggestion.node_access.empty()) notes += shown(suggestion.node_access) + ".\n";
    limits += fmt::format("      {}: 1\n", name);
  }
  if (report.suggestions.empty()) return cautions_of(report);
  std::string text =
      report.recorded ? "\nTried on the recorded machine:\n" : "\nTried on this machine:\n";
  for (const std::string& node : report.libusb) {
    notes += fmt::format("For libusb: patchbay suggest {}\n", shown(node));
  }
  text += format_table(rows) + cautions_of(report) + notes + needs_of(report.suggestions);
  return text + "In the Pod:\n  resources:\n    limits:\n" + limits;
}

std::vector<YamlNode> with_titles(const std::vector<Suggestion>& suggestions) {
  std::vector<YamlNode> resources;
  for (const Suggestion& suggestion : suggestions) {
    YamlNode resource = suggestion.proposal.resource;
    resource.lines_above.push_back(title(suggestion.proposal));
    resources.push_back(std::move(resource));
  }
  return resources;
}

std::string doubtful_item(const Suggestion& suggestion) {
  const suggest::Proposal& proposal = suggestion.proposal;
  std::string text =
      fmt::format("Doubtful: {}; {}.\n", title(proposal), proposal.candidate->kind->doubtful);
  for (const std::string& note : {suggestion.in_use, suggestion.taken}) {
    if (!note.empty()) text += shown(note) + ".\n";
  }
  return text + write_yaml(config::yaml_list({proposal.resource}));
}

Json unit_json(const TriedUnit& unit) {
  Json json{{"id", printable(unit.id)},
            {"devices", unit.devices},
            {"asked", unit.asked},
            {"healthy", unit.reason.empty()}};
  if (!unit.reason.empty()) json["reason"] = printable(unit.reason);
  return json;
}

Json suggestion_json(const Suggestion& suggestion) {
  const suggest::Proposal& proposal = suggestion.proposal;
  Json json{{"about", proposal.candidate->kind->about},
            {"resource", proposal.name},
            {"configuration", write_yaml(suggest::configuration_of({proposal.resource}))},
            {"units", Json::array()},
            {"limits", {{proposal.name, 1}}}};
  if (!proposal.model.empty()) json["model"] = printable(proposal.model);
  for (const TriedUnit& unit : suggestion.units) json["units"].push_back(unit_json(unit));
  if (!suggestion.refused.empty()) json["refused"] = suggestion.refused;
  if (!suggestion.taken.empty()) json["taken"] = suggestion.taken;
  if (!suggestion.in_use.empty()) json["inUse"] = suggestion.in_use;
  if (!suggestion.narrowed.empty()) json["narrowed"] = suggestion.narrowed;
  if (!proposal.candidate->kind->container.empty()) {
    json["container"] = proposal.candidate->kind->container;
  }
  if (!proposal.candidate->kind->doubtful.empty()) {
    json["doubtful"] = proposal.candidate->kind->doubtful;
  }
  return json;
}

}  // namespace

std::string suggestion_text(const suggest::Report& report, bool resources_only) {
  std::string text;
  if (resources_only) {
    text = report.suggestions.empty()
               ? ""
               : write_yaml(config::yaml_list(with_titles(report.suggestions)));
  } else {
    text = write_yaml(suggest::configuration_of(with_titles(report.suggestions)));
  }
  const std::string_view margin = resources_only ? "" : "  ";
  if (report.suggestions.empty() && !report.doubtful.empty()) {
    text += fmt::format("{}# All rules are doubtful. Uncomment those that you want to offer.\n",
                        margin);
  }
  for (const Suggestion& suggestion : report.doubtful) {
    const std::string item = doubtful_item(suggestion);
    text += '\n';
    for (const std::string_view line : split(trim_end(item), '\n')) {
      text += fmt::format("{}# {}\n", margin, line);
    }
  }
  text += as_comment(report_of(report));
  if (!report.others.empty()) {
    std::string lines = "\nNot offered:\n";
    for (const NotSuggested& other : report.others) {
      lines += fmt::format("  {}: {}\n", shown(other.device), shown(other.reason));
    }
    text += as_comment(lines);
  }
  return text;
}

Json suggestion_json(const suggest::Report& report) {
  Json json{{"suggestions", Json::array()}, {"others", Json::array()}};
  for (const Suggestion& suggestion : report.suggestions) {
    json["suggestions"].push_back(suggestion_json(suggestion));
  }
  for (const Suggestion& suggestion : report.doubtful) {
    json["suggestions"].push_back(suggestion_json(suggestion));
  }
  if (!report.libusb.empty()) json["libusb"] = report.libusb;
  for (const NotSuggested& other : report.others) {
    json["others"].push_back({{"device", printable(other.device)}, {"reason", other.reason}});
  }
  return json;
}

}  // namespace patchbay::cli
