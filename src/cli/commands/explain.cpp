#include "inventory/explain.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/host_discovery.h"
#include "cli/commands/resolution_view.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/table.h"
#include "cli/terminal/terminal.h"
#include "host/examine.h"
#include "host/facts/device_tree.h"
#include "loop/executor.h"
#include "model/facts.h"
#include "render/rule_json.h"
#include "rules/compile.h"
#include "rules/plan/default_id.h"
#include "rules/plan/node_filter.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::cli {
namespace {

/// One device of the host: the forms in which rules can match it, and their verdicts.
struct Explanation {
  std::vector<DeviceFactsPtr> forms;
  std::vector<inventory::RuleExplanation> verdicts;
};

using inventory::RuleExplanation;
using Kind = RuleExplanation::Kind;

std::string_view word(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kernel_device:
      return "kernel device";
    case DeviceKind::sysfs_directory:
      return "directory";
    case DeviceKind::path:
      return "path";
    case DeviceKind::static_name:
      return "static name";
    case DeviceKind::node:
      return "node";
  }
  return "";
}

std::string_view word(Kind kind) {
  switch (kind) {
    case Kind::out_of_scope:
      return "out of scope";
    case Kind::does_not_match:
      return "does not match";
    case Kind::unit:
      return "unit";
    case Kind::refused:
      return "refused";
    case Kind::incomplete:
      return "incomplete";
    case Kind::claimed:
      return "claimed";
    case Kind::orphaned_member:
      return "unused member";
  }
  return "";
}

std::string member_of(const rules::Plan& plan, const rules::Rule& rule) {
  return rule.role == 0 ? "" : plan.group(rule).members[rule.role - 1].name;
}

std::string title(const std::string& resource, size_t group, const std::string& member) {
  std::string text = resource;
  if (group > 0) text += fmt::format(", group {}", group);
  if (!member.empty()) text += fmt::format(", member {}", member);
  return text;
}

std::string id_text(rules::IdSource source) {
  switch (source) {
    case rules::IdSource::written:
      return "its id is rendered from the group's id";
    case rules::IdSource::by:
      return "its id is rendered from the group's by";
    case rules::IdSource::kernel_name:
      return "its id is the kernel's name, which depends on the order of detection: give the group "
             "an id";
    default:
      return fmt::format("its id is made of: {}", rules::word(source));
  }
}

std::string unit_text(const RuleExplanation& verdict, const std::string& member) {
  const std::string part = member.empty() ? "" : member + " of ";
  const std::string state = verdict.healthy ? "healthy" : "unhealthy: " + shown(verdict.reason);
  const std::string text = fmt::format("  {}unit {}, {}\n", part, verdict.id, state);
  return member.empty() ? fmt::format("{}  {}\n", text, id_text(verdict.id_source)) : text;
}

/// The verdict of a rule, in separate lines.
std::string verdict_text(const RuleExplanation& verdict, const std::string& member) {
  switch (verdict.kind) {
    case Kind::out_of_scope:
    case Kind::does_not_match:
      return "  does not match:\n" + mismatch_lines(verdict.mismatches, "    ");
    case Kind::unit:
      return unit_text(verdict, member);
    case Kind::orphaned_member:
      return "  joins no unit: " + shown(verdict.reason) + "\n";
    case Kind::refused:
      return "  refused: " + shown(verdict.reason) + "\n";
    case Kind::incomplete:
    case Kind::claimed:
      return "  " + shown(verdict.reason) + "\n";
  }
  return "";
}

std::string title(const rules::Plan& plan, const rules::Rule& rule) {
  return fmt::format(
      "{} ({})",
      title(plan.resources[rule.resource]->name,
            rules::configured_group_number(plan, rule.resource, rule.group), member_of(plan, rule)),
      position_text(plan.group(rule).matcher(rule.role).at()));
}

/// Rules for other kinds of devices come last, in one line each.
std::string explanation_text(const rules::Plan& plan, const Explanation& explanation) {
  std::vector<std::vector<std::string>> rows{{"DEVICE", "KIND", "SUBSYSTEM", "NODE"}};
  for (const DeviceFactsPtr& form : explanation.forms) {
    rows.push_back({shown(form->key), std::string(word(form->kind)), shown(form->subsystem),
                    shown(form->devnode)});
  }
  std::string text = format_table(rows);
  std::string others;
  for (const RuleExplanation& verdict : explanation.verdicts) {
    if (verdict.kind == Kind::out_of_scope) {
      const rules::Mismatch& why = verdict.mismatches.front();
      others += fmt::format("  {}: {} -- {}\n", title(plan, verdict.rule),
                            printable(why.condition, 500), why.actual);
    } else {
      text += fmt::format("\n{}\n{}", title(plan, verdict.rule),
                          verdict_text(verdict, member_of(plan, verdict.rule)));
    }
  }
  return others.empty() ? text : text + "\nrules for other kinds of devices:\n" + others;
}

Json verdict_json(const rules::Plan& plan, const RuleExplanation& verdict) {
  const rules::Rule& rule = verdict.rule;
  Json json;
  json["resource"] = plan.resources[rule.resource]->name;
  json["group"] = rules::configured_group_number(plan, rule.resource, rule.group);
  json["member"] = member_of(plan, rule);
  render::add_position(plan.group(rule).matcher(rule.role).at(), json);
  json["verdict"] = word(verdict.kind);
  json["key"] = verdict.key;
  json["id"] = verdict.id;
  json["idSource"] = verdict.kind == Kind::unit ? rules::word(verdict.id_source) : "";
  json["healthy"] = verdict.healthy;
  json["reason"] = verdict.reason;
  json["conditions"] = render::mismatches_json(verdict.mismatches);
  return json;
}

Json explanation_json(const rules::Plan& plan, const Explanation& explanation) {
  Json json;
  json["forms"] = Json::array();
  for (const DeviceFactsPtr& form : explanation.forms) {
    json["forms"].push_back({{"key", form->key},
                             {"kind", word(form->kind)},
                             {"subsystem", form->subsystem},
                             {"devnode", form->devnode}});
  }
  json["rules"] = Json::array();
  for (const RuleExplanation& verdict : explanation.verdicts) {
    json["rules"].push_back(verdict_json(plan, verdict));
  }
  return json;
}

/// For people. Device strings are made printable. `pending` has the unresponsive devices.
std::string explanation_text(const rules::Plan& plan, std::span<const Explanation> explanations,
                             std::span<const std::string> pending) {
  std::string text;
  for (const std::string& entity : pending) {
    text += fmt::format("{}: unresponsive\n", printable(entity, 500));
  }
  for (const Explanation& explanation : explanations) {
    if (!text.empty()) text += '\n';
    text += explanation_text(plan, explanation);
  }
  for (const rules::Excluded& left : plan.excluded) {
    text += fmt::format("\n{} ({})\n  excluded on this node:\n{}",
                        title(left.resource, rules::configured_group_number(plan, left), ""),
                        position_text(left.at), mismatch_lines(left.reasons, "    "));
  }
  return text;
}

/// For programs. The format is a stable interface (schemas/explain.v1.schema.json).
std::string explanation_json(const rules::Plan& plan, std::span<const Explanation> explanations,
                             std::span<const std::string> pending) {
  Json json;
  json["entities"] = Json::array();
  for (const Explanation& explanation : explanations) {
    json["entities"].push_back(explanation_json(plan, explanation));
  }
  json["unresponsive"] = Json::array();
  for (const std::string& entity : pending) {
    json["unresponsive"].push_back({{"path", entity}, {"reason", "is unresponsive"}});
  }
  json["excluded"] = render::excluded_json(plan);
  return json_text(json);
}

bool is_path_or_static_key(const std::string& word) {
  return word.starts_with('/') || word.starts_with(static_key(""));
}

/// The devices of the unit with that id, offered or not, without duplicates.
std::vector<std::string> devices_of(const inventory::Resolution& resolution,
                                    const std::string& id) {
  std::vector<std::string> keys;
  const auto add = [&](const std::string& key) {
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  };
  for (const auto& resource : resolution.resources) {
    const auto listed = resource.snapshot->find_listed(id);
    const inventory::Unit* unit = listed ? listed->unit : resource.snapshot->find(id);
    if (unit == nullptr) continue;
    for (const auto& device : unit->members->devices) add(device.facts->key);
  }
  for (const auto& resource : resolution.resources) {
    for (const inventory::Refusal& refusal : resource.refusals) {
      if (refusal.id == id) add(refusal.device);
    }
  }
  return keys;
}

Error no_such_unit(const inventory::Resolution& resolution, const std::string& word) {
  std::vector<std::string_view> ids;
  for (const auto& resource : resolution.resources) {
    for (const inventory::Unit& unit : resource.snapshot->units) ids.push_back(unit.id);
  }
  const auto nearest = nearest_word(word, ids);
  return {
      fmt::format("'{}' is not a unit id or kernel device name{}; name a device node, a path, "
                  "static:NAME, a unit id or a kernel device name",
                  printable(word), nearest ? fmt::format(" (did you mean '{}'?)", *nearest) : "")};
}

/// The keys or paths for the word that a person typed.
Result<std::vector<std::string>> find_entities(const inventory::Resolution& resolution,
                                               const paths::HostRoot& root,
                                               const std::string& word) {
  if (is_path_or_static_key(word)) return std::vector{word};
  auto keys = devices_of(resolution, word);
  if (keys.empty()) keys = host::kernel_devices_named(host::DeviceTree(root), word);
  if (keys.empty()) return std::unexpected(no_such_unit(resolution, word));
  return keys;
}

/// The forms of a device; nullopt if it is unresponsive.
std::optional<Result<std::vector<DeviceFactsPtr>>> examine_with_timeout(const HostQueryPtr& query,
                                                                        const paths::HostRoot& root,
                                                                        const std::string& entity) {
  const auto forms = std::make_shared<std::optional<Result<std::vector<DeviceFactsPtr>>>>();
  const bool answered = loop::Executor().run(
      [forms, query, root, entity] { *forms = host::examine(query, root, entity); },
      loop::kHungAfter);
  return answered ? std::move(*forms) : std::nullopt;
}

/// A query without the patterns that are known to be unresponsive.
HostQueryPtr query_of(const inventory::Inventory& inventory) {
  auto query = std::make_shared<HostQuery>(*rules::examination_query(inventory.plan()));
  for (const Unresponsive& one : inventory.unresponsive()) {
    if (!one.key.empty()) continue;
    std::erase_if(query->glob_patterns, [&](const std::string& pattern) {
      return std::ranges::find(one.patterns, pattern) != one.patterns.end();
    });
  }
  return query;
}

struct Explained {
  std::vector<Explanation> explanations;
  std::vector<std::string> pending;  ///< Unresponsive devices.
};

Result<Explained> explain_all(const inventory::Inventory& inventory, const paths::HostRoot& root,
                              const std::string& word) {
  const auto entities = find_entities(inventory.last(), root, word);
  if (!entities) return std::unexpected(entities.error());
  const HostQueryPtr query = query_of(inventory);
  Explained out;
  for (const std::string& entity : *entities) {
    auto forms = examine_with_timeout(query, root, entity);
    if (!forms) {
      out.pending.push_back(entity);
      continue;
    }
    if (!*forms) return std::unexpected(std::move(*forms).error());
    auto verdicts =
        inventory::explain(*inventory.plan(), inventory.devices(), inventory.last(), **forms);
    out.explanations.push_back({**std::move(forms), std::move(verdicts)});
  }
  return out;
}

}  // namespace

int explain(const ExplainOptions& options) {
  return discover_and_answer(
      options.config, options.host,
      [&](const inventory::Inventory& inventory, const paths::HostRoot& root) {
        const auto explained = explain_all(inventory, root, options.device);
        if (!explained) return report_failure(explained.error());
        const rules::Plan& plan = *inventory.plan();
        const auto& [explanations, pending] = *explained;
        const int printed = exit_code_of(print(
            options.output == OutputFormat::json ? explanation_json(plan, explanations, pending)
                                                 : explanation_text(plan, explanations, pending)));
        return printed == kOk && !pending.empty() ? int{kUnresponsive} : printed;
      });
}

}  // namespace patchbay::cli
