#include "cli/nothing_found.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/mismatch_view.h"
#include "cli/table.h"
#include "host/survey.h"
#include "observe/rule_json.h"
#include "rules/compile.h"
#include "rules/for_node.h"

namespace patchbay::cli {
namespace {

constexpr size_t kMostThings = 10'000;  ///< Read of the host: a second, where drivers are quick.

/// `"tty"`, `"tty" and "net"`: what the rule names, as it was written.
std::string quoted(std::span<const std::string> names) {
  std::vector<std::string> texts;
  for (const std::string& name : names) texts.push_back(fmt::format("\"{}\"", printable(name)));
  return join(texts, " and ");
}

std::string things_of(const rules::Matcher& match, bool several) {
  switch (match.kind()) {
    case RuleKind::subsystem:
      return fmt::format("{} of the subsystem {}", several ? "devices" : "device",
                         quoted(match.subsystems()));
    case RuleKind::sysfs:
      return fmt::format("{} that {} finds", several ? "directories" : "directory",
                         quoted(match.patterns()));
    case RuleKind::glob:
      return fmt::format("{} that {} finds", several ? "paths" : "path", quoted(match.patterns()));
    case RuleKind::static_name:
      return several ? "static names" : "static name";
    case RuleKind::node:
      break;
  }
  return "";
}

std::string looked_at(const rules::Matcher& match, size_t count) {
  const std::string number = count == 0 ? "no" : std::to_string(count);
  return fmt::format("{} {}", number, things_of(match, count > 1));
}

/// That the node has no such subsystem, and which the author may have meant; empty if it has.
std::string unknown_subsystem(const rules::Matcher& match) {
  const auto names = match.subsystems();
  const auto known = host::known_subsystems();
  const std::vector<std::string_view> words(known.begin(), known.end());
  if (names.size() != 1 || names.front().find_first_of("*?[\\") != std::string::npos) return "";
  if (std::ranges::find(known, names.front()) != known.end()) return "";
  const auto nearest = nearest_word(names.front(), words);
  return fmt::format("this node has no subsystem '{}'{}", printable(names.front()),
                     nearest ? fmt::format("; did you mean '{}'?", printable(*nearest)) : "");
}

/// How far the way exists that every path of the pattern goes; empty if all of it does.
std::string missing_directory(const rules::Matcher& match, const host::HostRoot& root) {
  if (match.patterns().size() != 1) return "";
  const std::string& pattern = match.patterns().front();
  std::string directory = pattern.substr(0, pattern.find_first_of("*?[\\"));
  directory.resize(std::max<size_t>(directory.rfind('/'), 1));
  const std::string there = host::existing_part(directory, root);
  if (there == directory) return "";
  return fmt::format("there is no {}, only {}", printable(directory), printable(there));
}

std::string why_nothing(const rules::Matcher& match, const host::HostRoot& root) {
  switch (match.kind()) {
    case RuleKind::subsystem:
      return unknown_subsystem(match);
    case RuleKind::sysfs:
      return missing_directory(match, {});
    case RuleKind::glob:
      return missing_directory(match, root);
    case RuleKind::static_name:
    case RuleKind::node:
      break;
  }
  return "";
}

std::string rule_title(const rules::Plan& plan, const rules::Rule& rule) {
  const size_t group = rules::written_group(plan, rule.resource, rule.group);
  return fmt::format("{}{} ({})", plan.resources[rule.resource]->name,
                     group == 0 ? "" : fmt::format(", group {}", group),
                     place_text(plan.group(rule).match.at()));
}

}  // namespace

std::vector<NothingFound> nothing_found(const rules::Plan& plan,
                                        const inventory::Resolution& resolution,
                                        const host::HostRoot& root) {
  const auto unmatched =
      std::make_shared<const rules::Plan>(inventory::plan_of_unmatched(plan, resolution));
  std::vector<NothingFound> found;
  if (unmatched->resources.empty()) return found;
  const auto things = host::survey(rules::examination_query(unmatched), root, kMostThings);
  for (inventory::NearMiss& miss : inventory::near_misses(plan, resolution, things)) {
    const rules::Matcher& match = plan.group(miss.rule).match;
    std::string looked = looked_at(match, miss.looked_at);
    std::string why = miss.looked_at == 0 ? why_nothing(match, root) : "";
    found.push_back({std::move(miss), std::move(looked), std::move(why)});
  }
  return found;
}

std::string place_of(const DeviceFacts& device, bool wide) {
  return shown(wide || device.devnode.empty() ? device.key : device.devnode);
}

std::string nothing_found_text(const rules::Plan& plan, const std::vector<NothingFound>& groups,
                               bool wide) {
  std::string text;
  for (const NothingFound& group : groups) {
    text += fmt::format("{}no device matches {}\n  looked at {}{}", text.empty() ? "" : "\n",
                        rule_title(plan, group.miss.rule), group.looked_at,
                        group.why.empty() ? "" : ": " + group.why);
    if (group.miss.nearest) {
      text += fmt::format("; nearest is {}, but:\n{}", place_of(*group.miss.nearest, wide),
                          mismatch_lines(group.miss.mismatches, "    "));
    } else {
      text += '\n';
    }
  }
  return text;
}

Json nothing_found_json(const rules::Plan& plan, const std::vector<NothingFound>& groups) {
  Json list = Json::array();
  for (const NothingFound& group : groups) {
    const rules::Rule& rule = group.miss.rule;
    Json json;
    json["resource"] = plan.resources[rule.resource]->name;
    json["group"] = rules::written_group(plan, rule.resource, rule.group);
    observe::add_position(plan.group(rule).match.at(), json);
    json["lookedAt"] = group.miss.looked_at;
    json["reason"] = group.why;
    json["nearest"] = group.miss.nearest ? group.miss.nearest->key : "";
    json["conditions"] = observe::mismatches_json(group.miss.mismatches);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace patchbay::cli
