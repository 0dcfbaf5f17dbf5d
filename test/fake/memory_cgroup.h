#pragma once

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "fake/temp_dir.h"

namespace patchbay::fake {

/// A control group with a memory limit for all its processes, as for a container. Exists for the
/// lifetime of this object. The kernel kills processes above the limit. Version 1 or 2, as on the
/// machine. Requires root.
class MemoryCgroup {
 public:
  explicit MemoryCgroup(size_t bytes) {
    why_ = set_up(bytes);
    if (why_)
      why_ = *why_ + ": " + std::strerror(errno) + " (a memory limit requires root and cgroups)";
  }
  MemoryCgroup(const MemoryCgroup&) = delete;
  MemoryCgroup& operator=(const MemoryCgroup&) = delete;
  ~MemoryCgroup() {
    // Fails if the kernel still counts an ended process, because a group with processes cannot be
    // removed.
    if (!group_.empty()) ::rmdir(group_.c_str());
    if (mounted_) ::umount2(dir_.path().c_str(), MNT_DETACH);
  }

  /// Why this machine cannot create the group, as a reason to skip a test.
  [[nodiscard]] const std::optional<std::string>& unavailable() const { return why_; }

  /// Number of its processes that the kernel killed above the limit.
  [[nodiscard]] size_t kills() const {
    std::ifstream file(group_ + "/" + events_);
    std::string word;
    size_t number = 0;
    while (file >> word) {
      if (word == "oom_kill") file >> number;
    }
    return number;
  }

  /// The beginning of a shell command that continues in the group.
  [[nodiscard]] std::string command() const { return "echo 0 > '" + group_ + "/cgroup.procs' && "; }

  /// A command that starts the program after it in the group.
  [[nodiscard]] std::vector<std::string> prefix() const {
    return {"/bin/sh", "-c", command() + R"(exec "$0" "$@")"};
  }

 private:
  [[nodiscard]] std::optional<std::string> set_up(size_t bytes) {
    const char* limit = "memory.limit_in_bytes";
    mounted_ = ::mount("patchbay", dir_.path().c_str(), "cgroup", 0, "memory") == 0;
    if (!mounted_) {
      limit = "memory.max";
      events_ = "memory.events";
      mounted_ = ::mount("patchbay", dir_.path().c_str(), "cgroup2", 0, nullptr) == 0;
    }
    if (!mounted_) return "cannot mount control groups";
    const std::string group = dir_ / ("patchbay-memory-" + std::to_string(::getpid()));
    if (::mkdir(group.c_str(), 0755) != 0) return "cannot create a control group";
    group_ = group;
    // Files cannot be created in a control group. So the write fails without the memory controller.
    std::ofstream file(group_ + "/" + limit);
    if (!(file << bytes << std::flush)) return std::string("cannot write ") + limit;
    return std::nullopt;
  }

  TempDir dir_;
  std::string group_;
  std::string events_ = "memory.oom_control";  ///< The group's file with the number of kills.
  bool mounted_ = false;
  std::optional<std::string> why_;
};

}  // namespace patchbay::fake
