#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loop/executor.h"
#include "paths/host_root.h"
#include "plugin/host_path_checker.h"

namespace patchbay::daemon {

/// Checks paths of the host for answers to the kubelet. Each check that the kernel cannot answer
/// from memory runs on a thread of the executor. A hung check thus blocks no other check, not the
/// loop, and not the end of the process. Any thread.
class ThreadedPathChecker final : public plugin::HostPathChecker {
 public:
  /// A path whose check takes longer than loop::kHungAfter is skipped until that check returns.
  ThreadedPathChecker(loop::Executor executor, const paths::HostRoot& root);
  ThreadedPathChecker(const ThreadedPathChecker&) = delete;
  ThreadedPathChecker& operator=(const ThreadedPathChecker&) = delete;
  /// Does not wait: checks continue.
  ~ThreadedPathChecker() override;

  [[nodiscard]] std::optional<inventory::PathState> try_cached(const std::string& path) override;
  void check(std::vector<std::string> paths, PathsChecked done) override;
  [[nodiscard]] Error timeout_error(const std::vector<std::string>& paths) override;

 private:
  struct Shared;
  loop::Executor executor_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace patchbay::daemon
