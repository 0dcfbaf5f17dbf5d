#pragma once

#include <span>
#include <string>
#include <vector>

#include "inventory/device_table.h"
#include "inventory/resolution.h"
#include "model/facts.h"
#include "rules/match/mismatch.h"
#include "rules/plan/plan.h"

namespace patchbay::inventory {

/// The result of one rule of the plan for a device, path or static name that a user asks about.
struct RuleExplanation {
  enum class Kind {
    out_of_scope,    ///< The rule does not apply to this kind: see `mismatches`.
    does_not_match,  ///< Conditions fail: see `mismatches`.
    unit,            ///< It is in the unit `id`.
    refused,         ///< Here and below as Refusal::Kind.
    incomplete,
    claimed,
    orphaned_member,  ///< A member that is in no unit.
  };
  rules::Rule rule;
  Kind kind = Kind::out_of_scope;
  std::string key{};  ///< DeviceFacts::key of the form that the rule sees.
  std::vector<rules::Mismatch> mismatches{};
  std::string id{};  ///< Id of the unit. For a refused unit, the id if one could be made.
  rules::IdSource id_source = rules::IdSource::written;
  bool healthy = false;  ///< Whether the unit is healthy.
  std::string reason{};  ///< Why the unit is unhealthy, or why there is no unit.
};

/// The result of every rule of the plan for an entity with one or several `forms`, in the order of
/// the plan. `forms` must have all facts that any rule uses. A rule that matches several forms has
/// a result for each; any other rule has one. `devices` and `resolution` must come from one
/// Inventory. Pure.
[[nodiscard]] std::vector<RuleExplanation> explain(const rules::Plan& plan,
                                                   const DeviceTable& devices,
                                                   const Resolution& resolution,
                                                   std::span<const DeviceFactsPtr> forms);

}  // namespace patchbay::inventory
