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

/// The result of one rule of the plan for an entity that a user asks about. An entity can have
/// several *forms*: a kernel device, and the paths to its device node.
struct RuleExplanation {
  enum class Kind {
    out_of_scope,    ///< The rule does not apply to this kind of entity: see `mismatches`.
    does_not_match,  ///< Conditions fail: see `mismatches`.
    unit,            ///< The form is in the unit `id`.
    refused,         ///< This and the next two are as in Refusal::Kind.
    incomplete,
    claimed,
    orphaned_member,  ///< The form matches a member, but no unit has the same text of `by`.
  };
  rules::Rule rule;
  Kind kind = Kind::out_of_scope;
  std::string key{};  ///< DeviceFacts::key of the form that this result is about.
  std::vector<rules::Mismatch> mismatches{};
  std::string id{};  ///< Id of the unit; also of a refused unit, if the id could be made.
  rules::IdSource id_source = rules::IdSource::written;
  bool healthy = false;  ///< Whether the unit is healthy.
  std::string reason{};  ///< Why the unit is unhealthy, or why there is no unit.
};

/// Returns the result of every rule for one entity, in the order of the plan. `forms` must have all
/// facts that any rule uses. A rule that matches several forms has a result for each; any other
/// rule has one. `devices` and `resolution` must come from one Inventory. Pure.
[[nodiscard]] std::vector<RuleExplanation> explain(const rules::Plan& plan,
                                                   const DeviceTable& devices,
                                                   const Resolution& resolution,
                                                   std::span<const DeviceFactsPtr> forms);

}  // namespace patchbay::inventory
