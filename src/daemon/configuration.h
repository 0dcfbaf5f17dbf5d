#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/daemon_set.h"
#include "config/diagnostics.h"
#include "host/facts/node_facts.h"
#include "loop/executor.h"
#include "paths/host_root.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::daemon {

/// The result of reading a configuration.
struct Configuration {
  /// Absolute paths, in our file system, on which the configuration depends: the paths that name
  /// it, and the files in directories among them. They need not exist.
  std::set<std::string> files;
  std::set<std::string> host_files;    ///< Paths of the host on which `when:` depends.
  uint64_t digest = 0;                 ///< Digest of the whole text.
  rules::PlanPtr full_plan;            ///< Null if there were errors.
  rules::PlanPtr plan;                 ///< `full_plan`, or its resources for this node.
  config::Diagnostics diagnostics;     ///< Errors and warnings, with positions.
  config::Diagnostics missing_mounts;  ///< See find_missing_mounts().
  std::string unreadable;              ///< Why the files could not be read; empty if they were.
  /// The errno if descriptors or memory ran out while the files, or the node facts for `when:`,
  /// were read; else 0.
  int exhaustion_errno = 0;
};

/// Compiles files and directories into a plan. It does all checks of `validate`, and `run` starts
/// from its result. No side effects. Returns `before` if the text is the same.
[[nodiscard]] Configuration read_configuration(std::span<const std::string> paths,
                                               const std::string& node,
                                               const Configuration& before = {});

/// Compiles texts that are already read. `files` and `digest` stay empty. No side effects.
[[nodiscard]] Configuration compile_configuration(
    std::span<const std::shared_ptr<const config::Source>> sources, const std::string& node);

/// A configuration, and the DaemonSets that read it, as far as their manifests are known.
struct CheckedConfiguration {
  rules::PlanPtr plan;
  std::vector<config::DaemonSet> daemon_sets;
};

/// The result of checking configurations for several daemons.
struct CheckedConfigurations {
  std::vector<CheckedConfiguration> all;  ///< Empty if there were errors.
  config::Diagnostics diagnostics;        ///< Errors and warnings of all, with positions.
  std::string unreadable;                 ///< Why the files could not be read; empty if they were.
};

/// Does the same checks for files that may contain Kubernetes manifests. Each ConfigMap is a
/// configuration of its own, as for node pools: two may contain a resource of the same name.
/// All other files are one configuration. If the DaemonSets that read a configuration are unknown,
/// all of them may.
[[nodiscard]] CheckedConfigurations check_configurations(std::span<const std::string> paths,
                                                         const std::string& node);

/// Filters the plan for this node, and records the paths on which the result depends. Blocks, as
/// host::NodeFactReader does.
void filter_for_this_node(Configuration& configuration, host::NodeFactReader& node,
                          std::chrono::milliseconds timeout = loop::kHungAfter);

/// Finds mounts that `configuration.plan` needs and that our own Pod lacks: one warning each.
/// Outside of a Pod nothing is missing. In a Pod a path of the host is missing if it is neither
/// below a mount nor in the image. `arguments` has the options of `run` that move paths. Blocks.
void find_missing_mounts(Configuration& configuration,
                         std::map<std::string, std::string> arguments);

/// Returns the resources of the plan for the node whose file system is `root`, and for our
/// environment. Blocks, as host::NodeFactReader does.
[[nodiscard]] rules::PlanPtr plan_for_this_node(const rules::PlanPtr& plan,
                                                const paths::HostRoot& root);

/// Returns the root of the host's files for `--host-root`, absolute; empty: our own root. Returns
/// an Error if it is not a directory, or if the plan has udev or sysfs rules: they read /sys and
/// /run/udev. Blocks.
[[nodiscard]] Result<paths::HostRoot> host_root(const std::string& directory,
                                                const rules::Plan& plan);

/// Returns $NODE_NAME, or the host's name.
[[nodiscard]] std::string default_node_name();

}  // namespace patchbay::daemon
