#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/host_root.h"
#include "serve/host_path_checker.h"

namespace patchbay::daemon {

/// Looks at paths of the host for answers to the kubelet. Each look that the kernel cannot answer
/// from its memory has a thread, which is there for it alone: what hangs keeps no other look, nor
/// the loop, nor the end of the process. Any thread.
class ThreadedPathChecker final : public serve::HostPathChecker {
 public:
  /// A path at which a look is for so long hangs, and is not looked at again until it answers.
  static constexpr std::chrono::seconds kHangTimeout{2};
  static constexpr size_t kMostThreads = 32;

  explicit ThreadedPathChecker(const host::HostRoot& root);
  ThreadedPathChecker(const ThreadedPathChecker&) = delete;
  ThreadedPathChecker& operator=(const ThreadedPathChecker&) = delete;
  /// Waits for nothing: looks go on.
  ~ThreadedPathChecker() override;

  [[nodiscard]] std::optional<inventory::PathState> try_cached(const std::string& path) override;
  void check(std::vector<std::string> paths, PathsChecked done) override;
  [[nodiscard]] Error timeout_error(const std::vector<std::string>& paths) override;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace patchbay::daemon
