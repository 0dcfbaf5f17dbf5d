#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/facts.h"
#include "inventory/device_table.h"
#include "inventory/resolution.h"
#include "rules/mismatch.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// What one rule of the plan makes of a thing that a person asks about.
struct RuleExplanation {
  enum class Kind {
    out_of_scope,    ///< The rule does not look at such things: see `mismatches`.
    does_not_match,  ///< Conditions do not hold: see `mismatches`.
    unit,            ///< It is in the unit `id`.
    refused,         ///< Here and below as Refusal::Kind.
    incomplete,
    claimed,
    orphaned_member,  ///< A member that no unit has.
  };
  rules::Rule rule;
  Kind kind = Kind::out_of_scope;
  std::string key{};  ///< DeviceFacts::key, of the form in which the rule sees it.
  std::vector<rules::Mismatch> mismatches{};
  std::string id{};  ///< Of the unit; of what is refused, as far as one could be made.
  rules::IdSource id_source = rules::IdSource::written;
  bool healthy = false;  ///< Whether the unit is.
  std::string reason{};  ///< Why the unit is unhealthy; why it is none.
};

/// What every rule of the plan makes of a thing that it may see in several `forms`, with all facts
/// that any rule looks at; in the order of the plan. A rule that matches several forms has a
/// verdict for each, any other has one. `devices` and `resolution` are those of one Inventory.
/// Pure.
[[nodiscard]] std::vector<RuleExplanation> explain(const rules::Plan& plan,
                                                   const DeviceTable& devices,
                                                   const Resolution& resolution,
                                                   std::span<const DeviceFactsPtr> forms);

}  // namespace patchbay::inventory
