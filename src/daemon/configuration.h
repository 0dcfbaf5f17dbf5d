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
  /// Absolute paths on which the configuration depends: those that the user named, and the files in
  /// named directories. They are paths in our own file system, and need not exist.
  std::set<std::string> files;
  std::set<std::string> host_files;  ///< Paths of the host on which `when:` depends.
  uint64_t digest = 0;               ///< Digest of the whole text.
  rules::PlanPtr full_plan;          ///< The plan for all nodes. Null if there were errors.
  /// Equal to `full_plan`, until filter_for_this_node() sets it to the plan for this node.
  rules::PlanPtr plan;
  config::Diagnostics diagnostics;     ///< Errors and warnings, with positions.
  config::Diagnostics missing_mounts;  ///< See find_missing_mounts().
  std::string unreadable;              ///< Why the files could not be read; empty if they were.
  /// The errno if a read of the files, or of the node facts for `when:`, failed because descriptors
  /// or memory ran out; else 0.
  int exhaustion_errno = 0;
};

/// Reads files and directories, and compiles them into a plan, for the commands `run` and
/// `validate`. Returns `before` if the files have the same text as before. Blocks. Any thread.
[[nodiscard]] Configuration read_configuration(std::span<const std::string> paths,
                                               const std::string& node,
                                               const Configuration& before = {});

/// Compiles texts that are already read. In the result, `files` and `digest` are empty. Pure.
[[nodiscard]] Configuration compile_configuration(
    std::span<const std::shared_ptr<const config::Source>> sources, const std::string& node);

/// The plan of one configuration, and the DaemonSets that may read this configuration.
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

/// Reads and compiles files that may contain Kubernetes manifests, without filtering for a node.
/// Each ConfigMap is a separate configuration, for example for one node pool. So two ConfigMaps may
/// contain resources of the same name. All files that are no manifests form one configuration. If
/// no DaemonSet is known to read a configuration, the result has all DaemonSets for it. Blocks.
[[nodiscard]] CheckedConfigurations check_configurations(std::span<const std::string> paths,
                                                         const std::string& node);

/// Sets `plan` to the resources and groups of `full_plan` whose `when:` matches this node. Sets
/// `host_files` to the paths on which the result of `when:` depends. Blocks, as
/// host::NodeFactReader does.
void filter_for_this_node(Configuration& configuration, host::NodeFactReader& node,
                          std::chrono::milliseconds timeout = loop::kHungAfter);

/// Rejects a configuration that has a resource with `serve: dra`, for `run --standalone`.
void reject_dra(Configuration& configuration);

/// Sets `missing_mounts` to a warning for each mount that `configuration.plan` needs and our own
/// Pod lacks. Outside of a Pod, sets no warnings. A path that a mount covers gets no warning, and
/// neither does a path in our image that needs no write access. `arguments` has the options of
/// `run` that change paths, such as --host-root and --cdi-dir. Blocks.
void find_missing_mounts(Configuration& configuration,
                         std::map<std::string, std::string> arguments);

/// Returns the plan without the resources and groups whose `when:` excludes the node. `root` is the
/// file system of the node. Blocks.
[[nodiscard]] rules::PlanPtr plan_for_this_node(const rules::PlanPtr& plan,
                                                const paths::HostRoot& root);

/// Returns the root of the host's files for the value of `--host-root`; an empty value means our
/// own root. Another root must be a directory. The plan must then have no udev or sysfs rules,
/// because these rules read /sys and /run/udev of our own root. Otherwise the result is an Error.
/// Blocks.
[[nodiscard]] Result<paths::HostRoot> host_root(const std::string& directory,
                                                const rules::Plan& plan);

/// Returns $NODE_NAME, or the host name if that variable is not set.
[[nodiscard]] std::string default_node_name();

}  // namespace patchbay::daemon
