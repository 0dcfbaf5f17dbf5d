#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "config/diagnostics.h"
#include "host/host_root.h"
#include "host/node_facts.h"
#include "rules/plan.h"

namespace patchbay::daemon {

/// What came of reading a configuration.
struct Configuration {
  /// Our absolute paths on which it depends, whether they exist or not: those that name it, and the
  /// files in directories among them.
  std::set<std::string> files;
  std::set<std::string> host_files;  ///< The same of the host's: what `when:` asks for.
  uint64_t digest = 0;               ///< Of all that was read.
  rules::PlanPtr full_plan;          ///< Null unless everything was right.
  rules::PlanPtr plan;               ///< The same, or what of it is for a node.
  config::Diagnostics diagnostics;   ///< Mistakes and warnings, with positions.
  std::string unreadable;            ///< Why the files could not be read; empty if they could.
  /// The errno, if something of it, or of what `when:` asks, could not be read for want of
  /// descriptors or memory.
  int exhaustion_errno = 0;
};

/// Files and directories -> Plan: everything that `validate` checks and `run` starts from. No side
/// effects. What reads as `before` is not compiled again.
[[nodiscard]] Configuration read_configuration(std::span<const std::string> paths,
                                               const std::string& node,
                                               const Configuration& before = {});

/// What came of checking configurations for several daemons.
struct CheckedConfigurations {
  std::vector<rules::PlanPtr> plans;  ///< Of each; none unless everything was right.
  config::Diagnostics diagnostics;    ///< Mistakes and warnings of all, with positions.
  std::string unreadable;             ///< Why the files could not be read; empty if they could.
};

/// The same checks, where each ConfigMap of Kubernetes manifests is a configuration of its own, as
/// pools of nodes have them: two may have a resource of the same name. Other files are one.
[[nodiscard]] CheckedConfigurations check_configurations(std::span<const std::string> paths,
                                                         const std::string& node);

/// Keeps of the plan what is for this node, and notes what that depends on. Blocking, as
/// is host::NodeFactReader.
void filter_for_this_node(Configuration& configuration, host::NodeFactReader& node,
                          std::chrono::milliseconds timeout = host::NodeFactReader::kTimeout);

/// What of the plan is for this node, whose file system is `root`, and for our environment.
/// Blocking, as is host::NodeFactReader.
[[nodiscard]] rules::PlanPtr plan_for_this_node(const rules::PlanPtr& plan,
                                                const host::HostRoot& root);

/// $NODE_NAME, else the host's name.
[[nodiscard]] std::string default_node_name();

}  // namespace patchbay::daemon
