#pragma once

#include <chrono>
#include <memory>

#include "base/facts.h"
#include "host/host_root.h"

namespace patchbay::host {

/// What `when:` asks of the node. Files are read as for HostQuery::files, patterns find what they
/// find in `glob:`, and of one that GlobLimits cut short nobody knows. Variables are those of our
/// own process.
///
/// All are looked at side by side, in threads of its own, since it is needed before a loop runs. Of
/// one that does not answer in time nobody knows, unless it was known before: then it is as it was.
/// It is not looked at again while it hangs. The same holds of what the kernel refuses to open for
/// want of descriptors or memory, but for who asks to ask again. Any thread; calls are serialized.
class NodeFactReader {
 public:
  /// What has not answered by then hangs.
  static constexpr std::chrono::milliseconds kTimeout{2000};

  explicit NodeFactReader(HostRoot root);
  NodeFactReader(const NodeFactReader&) = delete;
  NodeFactReader& operator=(const NodeFactReader&) = delete;
  ~NodeFactReader();

  /// Blocking, not much longer than the timeout: before the loop runs, or on a work thread.
  [[nodiscard]] NodeFacts read(const NodeQuery& query,
                               std::chrono::milliseconds timeout = kTimeout);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// The same, once.
[[nodiscard]] NodeFacts read_node_facts(const NodeQuery& query, const HostRoot& root);

}  // namespace patchbay::host
