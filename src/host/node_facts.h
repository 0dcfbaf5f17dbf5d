#pragma once

#include "base/facts.h"
#include "host/host_root.h"

namespace patchbay::host {

/// What `when:` asks of the node. Files are read as for HostQuery::files, patterns find what they
/// find in `glob:`, and of one that GlobLimits cut short nobody knows. Variables are those of our
/// own process. Blocking: before the loop runs, or in the pool.
[[nodiscard]] NodeFacts read_node_facts(const NodeQuery& query, const HostRoot& root);

}  // namespace patchbay::host
