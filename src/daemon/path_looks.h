#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/host_root.h"
#include "serve/host_paths.h"

namespace patchbay::daemon {

/// Looks at paths of the host for answers to the kubelet. Each look that the kernel cannot answer
/// from its memory has a thread, which is there for it alone: what hangs keeps no other look, nor
/// the loop, nor the end of the process. Any thread.
class PathLooks final : public serve::HostPaths {
 public:
  /// A path at which a look is for so long hangs, and is not looked at again until it answers.
  static constexpr std::chrono::seconds kHangs{2};
  static constexpr size_t kMostThreads = 32;

  explicit PathLooks(const host::HostRoot& root);
  PathLooks(const PathLooks&) = delete;
  PathLooks& operator=(const PathLooks&) = delete;
  /// Waits for nothing: looks go on.
  ~PathLooks() override;

  [[nodiscard]] std::optional<inventory::PathState> at_once(const std::string& path) override;
  void look(std::vector<std::string> paths, Looked looked) override;
  [[nodiscard]] Error lateness(const std::vector<std::string>& paths) override;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace patchbay::daemon
