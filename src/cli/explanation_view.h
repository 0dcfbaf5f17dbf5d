#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/facts.h"
#include "inventory/explain.h"
#include "rules/plan.h"

namespace patchbay::cli {

/// One thing of the host, in every form in which rules may see it, and what they make of it.
struct Explanation {
  std::vector<DeviceFactsPtr> forms;
  std::vector<inventory::RuleExplanation> verdicts;
};

/// For people. Strings of devices are made printable. `pending` are things that do not answer.
[[nodiscard]] std::string explanation_text(const rules::Plan& plan,
                                           std::span<const Explanation> explanations,
                                           std::span<const std::string> pending);

/// For programs. The shape is part of the product (docs/commands.md).
[[nodiscard]] std::string explanation_json(const rules::Plan& plan,
                                           std::span<const Explanation> explanations,
                                           std::span<const std::string> pending);

}  // namespace patchbay::cli
