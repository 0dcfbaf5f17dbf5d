#include "cli/commands/explanation_view.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/mismatch_view.h"
#include "cli/terminal/table.h"
#include "render/rule_json.h"
#include "rules/plan/default_id.h"
#include "rules/plan/node_filter.h"

namespace patchbay::cli {
namespace {

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
  std::vector<std::vector<std::string>> rows{{"THING", "KIND", "SUBSYSTEM", "NODE"}};
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

}  // namespace

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

}  // namespace patchbay::cli
