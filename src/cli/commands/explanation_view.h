#pragma once

#include <span>
#include <string>
#include <vector>

#include "inventory/explain.h"
#include "model/facts.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::cli {

/// One device of the host: the forms in which rules can match it, and their verdicts.
struct Explanation {
  std::vector<DeviceFactsPtr> forms;
  std::vector<inventory::RuleExplanation> verdicts;
};

/// For people. Device strings are made printable. `pending` has the unresponsive devices.
[[nodiscard]] std::string explanation_text(const rules::Plan& plan,
                                           std::span<const Explanation> explanations,
                                           std::span<const std::string> pending);

/// For programs. The format is a stable interface (docs/commands.md).
[[nodiscard]] std::string explanation_json(const rules::Plan& plan,
                                           std::span<const Explanation> explanations,
                                           std::span<const std::string> pending);

}  // namespace patchbay::cli
