#pragma once

#include <map>
#include <string>

#include "base/facts.h"
#include "host/host_root.h"

namespace patchbay::host {

/// What `when:` asks of the node. Files are read as for HostQuery::files, patterns find what they
/// find in `glob:`. Blocking: before the loop runs, or in the pool.
[[nodiscard]] NodeFacts read_node_facts(const NodeQuery& query, const HostRoot& root);
/// Adds to `unknown`, by pattern, why nobody knows whether it finds something: see GlobLimits.
[[nodiscard]] NodeFacts read_node_facts(const NodeQuery& query, const HostRoot& root,
                                        std::map<std::string, std::string>& unknown);

}  // namespace patchbay::host
