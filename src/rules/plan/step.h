#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "model/check.h"
#include "rules/plan/entry.h"
#include "rules/text/template.h"

namespace patchbay::rules {

/// Time limit of all steps before a container start together: the kubelet waits 30 s
/// (docs/dev/kubelet.md: Allocate).
inline constexpr std::chrono::milliseconds kPreStartBudget = std::chrono::seconds(25);

/// A compiled item of `preStart`. Immutable; any thread.
struct StepPlan {
  Step::Kind kind = Step::Kind::exec;
  std::vector<Template> texts;  ///< exec: all arguments; write and wait: the path.
  std::optional<Template> value;
  std::chrono::milliseconds limit{};  ///< wait
  Multiplicity multiplicity;
  WrittenAt at;

  /// Returns null after a mistake. Every mistake is reported.
  [[nodiscard]] static std::optional<StepPlan> compile(const config::StepSpec& spec,
                                                       const TemplateRules& rules,
                                                       config::Diagnostics& diagnostics);

  /// The step for one unit. The error says why it is impossible.
  [[nodiscard]] Result<Step> render(const RenderScope& scope) const;
  /// See Template::want().
  void want(WantedFacts& wanted, std::string_view member) const;

  friend bool operator==(const StepPlan&, const StepPlan&) = default;
};

}  // namespace patchbay::rules
