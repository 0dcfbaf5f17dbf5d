#pragma once

#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace patchbay::fake {

/// A control group with a container's memory limit, for the lifetime of this object. Requires root;
/// version 1 or 2.
class MemoryGroup {
 public:
  /// No group if `mebibytes` is 0.
  explicit MemoryGroup(size_t mebibytes) {
    if (mebibytes == 0) return;
    const std::string bytes = std::to_string(mebibytes << 20U);
    const std::string name = "/patchbay-test-" + std::to_string(::getpid());
    for (const auto& [root, limit] : {std::pair{"/sys/fs/cgroup/memory", "/memory.limit_in_bytes"},
                                      std::pair{"/sys/fs/cgroup", "/memory.max"}}) {
      std::error_code cannot;
      if (!std::filesystem::exists(std::string(root) + "/cgroup.procs", cannot)) continue;
      path_ = root + name;
      if (std::filesystem::create_directory(path_, cannot) && write(path_ + limit, bytes)) return;
      std::filesystem::remove(path_, cannot);
      path_.clear();
    }
  }
  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;
  ~MemoryGroup() {
    if (made()) ::rmdir(path_.c_str());
  }

  [[nodiscard]] bool made() const { return !path_.empty(); }
  /// The shell command that enters the group; empty without a group.
  [[nodiscard]] std::string command() const {
    return made() ? "echo 0 > '" + path_ + "/cgroup.procs' && " : "";
  }

 private:
  static bool write(const std::string& path, const std::string& text) {
    std::ofstream file(path);
    file << text << std::flush;
    return file.good();
  }

  std::string path_;
};

}  // namespace patchbay::fake
