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

/// Compiles the files of one configuration, in order, into one Plan. Checks all names
/// (docs/dev/kubelet.md: Resource names), patterns, paths, and templates with their variables.
/// Reports every mistake. Returns null after a mistake, so that a configuration with a wrong rule
/// is never active.
[[nodiscard]] PlanPtr compile(std::span<const config::Spec> specs, const CompileOptions& options,
                              config::Diagnostics& diagnostics);

/// Returns the query for all facts of the host that the plan needs. The query keeps the plan alive.
[[nodiscard]] HostQueryPtr host_query(const PlanPtr& plan);

/// Returns the query for devices that a command examines. Unlike host_query(), this query wants the
/// facts of all rules for each device, even of rules that cannot match the device.
[[nodiscard]] HostQueryPtr examination_query(const PlanPtr& plan);

}  // namespace patchbay::rules
