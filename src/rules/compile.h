#pragma once

#include <span>
#include <string>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "model/facts.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::rules {

/// Input of the compiler besides the files.
struct CompileOptions {
  std::string node;  ///< The name of this node, for $(node).
};

/// Compiles the files of one configuration, in order, into one Plan. All checks of meaning happen
/// here: names (docs/dev/kubelet.md: Resource names), patterns, templates and their variables,
/// paths. Every mistake is reported. Returns null after a mistake, so that a broken rule never
/// serves anything.
[[nodiscard]] PlanPtr compile(std::span<const config::Spec> specs, const CompileOptions& options,
                              config::Diagnostics& diagnostics);

/// The query for the facts of the host that the plan needs. The query keeps the plan alive.
[[nodiscard]] HostQueryPtr host_query(const PlanPtr& plan);

/// The query for one examined device: the facts of all rules, whether they can match or not.
[[nodiscard]] HostQueryPtr examination_query(const PlanPtr& plan);

}  // namespace patchbay::rules
