#pragma once

#include <span>
#include <string>

#include "config/diagnostics.h"
#include "host/host_root.h"
#include "rules/plan.h"

namespace patchbay::daemon {

/// What came of reading a configuration.
struct Configuration {
  rules::PlanPtr plan;              ///< Null unless everything was right.
  config::Diagnostics diagnostics;  ///< Mistakes and warnings, with positions.
  std::string unreadable;           ///< Why the files could not be read; empty if they could.
};

/// Files and directories -> Plan: everything that `validate` checks and `run` starts from. No side
/// effects.
[[nodiscard]] Configuration read_configuration(std::span<const std::string> paths,
                                               const std::string& node);

/// What of the plan is for this node, whose file system is `root`, and for our environment.
/// Blocking: before the loop runs.
[[nodiscard]] rules::PlanPtr plan_for_this_node(const rules::PlanPtr& plan,
                                                const host::HostRoot& root);

/// $NODE_NAME, else the host's name.
[[nodiscard]] std::string default_node_name();

}  // namespace patchbay::daemon
