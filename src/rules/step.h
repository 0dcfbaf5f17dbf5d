#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "base/check.h"
#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/entry.h"
#include "rules/template.h"

namespace patchbay::rules {

/// What all steps before a start may take together: the kubelet waits 30 s (kubelet contract 5.1).
inline constexpr std::chrono::milliseconds kPreStartBudget = std::chrono::seconds(25);

/// One item of `preStart`, compiled. Immutable; any thread.
struct StepPlan {
  Step::Kind kind = Step::Kind::exec;
  std::vector<Template> texts;  ///< exec: all arguments; write and wait: the path.
  std::optional<Template> value;
  std::chrono::milliseconds limit{};  ///< wait
  Multiplicity multiplicity;
  WrittenAt at;

  /// Null if something is wrong with it; every mistake is reported.
  [[nodiscard]] static std::optional<StepPlan> compile(const config::StepSpec& spec,
                                                       const TemplateRules& rules,
                                                       config::Diagnostics& diagnostics);

  /// What to do for one unit, or why it cannot be done.
  [[nodiscard]] Result<Step> render(const RenderScope& scope) const;
  /// See Template::want().
  void want(WantedFacts& wanted, std::string_view member) const;

  friend bool operator==(const StepPlan&, const StepPlan&) = default;
};

}  // namespace patchbay::rules
