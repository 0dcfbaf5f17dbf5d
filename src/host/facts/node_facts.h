#pragma once

#include <chrono>
#include <memory>

#include "loop/executor.h"
#include "model/facts.h"
#include "paths/host_root.h"

namespace patchbay::host {

/// Reads the facts of the node for `when:`. Files are read as for HostQuery::files, and patterns
/// match as in `glob:`. A pattern is unknown if paths::GlobLimits ends its search before a match is
/// found. Variables are those of our own process.
///
/// Files and patterns are read on threads of the executor, because they are needed before a loop
/// runs. A file or pattern whose read does not end in time keeps its last value, or is unknown if
/// it has none. It is not read again while that read hangs. It also keeps its last value if the
/// kernel lacks descriptors or memory for the read. Then the next call reads it again. Any thread;
/// calls are serialized.
class NodeFactReader {
 public:
  NodeFactReader(loop::Executor executor, paths::HostRoot root);
  NodeFactReader(const NodeFactReader&) = delete;
  NodeFactReader& operator=(const NodeFactReader&) = delete;
  ~NodeFactReader();

  /// Blocks at most slightly longer than the timeout. Call it before the loop runs, or on a work
  /// thread.
  [[nodiscard]] NodeFacts read(const NodeQuery& query,
                               std::chrono::milliseconds timeout = loop::kHungAfter);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Reads once, with a temporary NodeFactReader.
[[nodiscard]] NodeFacts read_node_facts(const NodeQuery& query, const paths::HostRoot& root);

}  // namespace patchbay::host
