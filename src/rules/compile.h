#pragma once

#include <span>
#include <string>

#include "base/facts.h"
#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/plan.h"

namespace patchbay::rules {

/// What compiling needs to know besides the files.
struct CompileOptions {
  std::string node;  ///< The name of this node, for $(node).
};

/// Compiles the files of one configuration, in order, into one Plan. All checks of meaning are
/// here: names (kubelet contract 2.2), patterns, templates and their variables, paths. Every
/// mistake is reported; null if there is one, so that a broken rule never serves anything.
[[nodiscard]] PlanPtr compile(std::span<const config::Spec> specs, const CompileOptions& options,
                              config::Diagnostics& diagnostics);

/// What the plan wants to see of the host. The query keeps the plan alive.
[[nodiscard]] HostQueryPtr host_query(const PlanPtr& plan);

/// The same of one thing that is examined: all that any rule looks at, whether it may match or not.
[[nodiscard]] HostQueryPtr examination_query(const PlanPtr& plan);

}  // namespace patchbay::rules
