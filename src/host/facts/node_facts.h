#pragma once

#include <chrono>
#include <memory>

#include "loop/executor.h"
#include "model/facts.h"
#include "paths/host_root.h"

namespace patchbay::host {

/// Reads the facts of the node for `when:`. Files are read as for HostQuery::files, and patterns
/// match as in `glob:`; a pattern truncated by paths::GlobLimits is unknown. Variables are those of
/// our own process.
///
/// Files and patterns are read on threads of the executor, because they are needed before a loop
/// runs. If the read of one does not end in time, it keeps its last value; without one, it is
/// unknown. It is not read again while that read hangs. If the kernel lacks descriptors or memory
/// for a read, the same applies, but the next call retries it. Any thread; calls are serialized.
class NodeFactReader {
 public:
  NodeFactReader(loop::Executor executor, paths::HostRoot root);
  NodeFactReader(const NodeFactReader&) = delete;
  NodeFactReader& operator=(const NodeFactReader&) = delete;
  ~NodeFactReader();

  /// Blocks for little longer than the timeout. Call it before the loop runs, or on a work thread.
  [[nodiscard]] NodeFacts read(const NodeQuery& query,
                               std::chrono::milliseconds timeout = loop::kHungAfter);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Reads once, with a temporary NodeFactReader.
[[nodiscard]] NodeFacts read_node_facts(const NodeQuery& query, const paths::HostRoot& root);

}  // namespace patchbay::host
