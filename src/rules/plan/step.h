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

/// Time limit of all `preStart` steps of a container together. The kubelet waits 30 s for them
/// (docs/dev/kubelet.md: Allocate).
inline constexpr std::chrono::milliseconds kPreStartBudget = std::chrono::seconds(25);

/// Time limit of all `release` steps of a ResourceClaim together. The kubelet waits 45 s for them
/// (docs/dev/kubelet.md: Registration of drivers).
inline constexpr std::chrono::milliseconds kReleaseBudget = std::chrono::seconds(30);

/// A compiled item of `preStart` or `release`. Immutable; any thread.
struct StepPlan {
  Step::Kind kind = Step::Kind::exec;
  std::vector<Template> texts;        ///< exec: all arguments; write and wait: the path.
  std::optional<Template> value;      ///< write: the written text.
  std::chrono::milliseconds limit{};  ///< wait: the time limit.
  Multiplicity multiplicity;
  WrittenAt at;

  /// Reports every mistake. Returns null after a mistake. `budget`: the time of all steps together.
  [[nodiscard]] static std::optional<StepPlan> compile(const config::StepSpec& spec,
                                                       std::chrono::milliseconds budget,
                                                       const TemplateRules& rules,
                                                       config::Diagnostics& diagnostics);

  /// Inserts the values of one unit. The error says why this is impossible.
  [[nodiscard]] Result<Step> render(const RenderScope& scope) const;
  /// See Template::want().
  void want(WantedFacts& wanted, std::string_view member) const;

  friend bool operator==(const StepPlan&, const StepPlan&) = default;
};

}  // namespace patchbay::rules
