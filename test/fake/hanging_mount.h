#pragma once

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "base/unique_fd.h"
#include "fake/temp_dir.h"

namespace patchbay::fake {

/// A file system that never answers, as a network one whose server is gone: whatever looks at a
/// path in it hangs for the life of this object, or until let_go(). Root, and /dev/fuse.
class HangingMount {
 public:
  /// Why there can be none here, to skip a test with.
  [[nodiscard]] static std::optional<std::string> unavailable() {
    if (HangingMount().mounted_) return std::nullopt;
    return "no file system to hang on here: it takes root and /dev/fuse";
  }

  HangingMount() : server_(::open("/dev/fuse", O_RDWR | O_CLOEXEC)) {
    const std::string options = fmt::format("fd={},rootmode=40000,user_id={},group_id={}",
                                            server_.get(), ::geteuid(), ::getegid());
    mounted_ = ::mount("patchbay", dir_.path().c_str(), "fuse", MS_NOSUID | MS_NODEV,
                       options.c_str()) == 0;
  }
  HangingMount(const HangingMount&) = delete;
  HangingMount& operator=(const HangingMount&) = delete;
  ~HangingMount() { let_go(); }

  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return dir_ / name; }

  /// Everything that hangs fails now.
  void let_go() {
    server_.reset();
    if (mounted_) ::umount2(dir_.path().c_str(), MNT_DETACH);
    mounted_ = false;
  }

 private:
  TempDir dir_;
  UniqueFd server_;
  bool mounted_ = false;
};

/// Whether a thread of the process waits for such a file system.
inline bool hangs_on_mount(pid_t pid) {
  std::error_code gone;
  const std::filesystem::directory_iterator threads(fmt::format("/proc/{}/task", pid), gone);
  return std::ranges::any_of(threads, [](const auto& thread) {
    std::ifstream file(thread.path() / "wchan");
    std::string place;
    return file >> place && place.find("fuse") != std::string::npos;
  });
}

/// An empty file system on which device nodes cannot be opened, as where no device cgroup lets one.
class NoDeviceMount {
 public:
  NoDeviceMount() {
    mounted_ = ::mount("patchbay", dir_.path().c_str(), "tmpfs", MS_NODEV, "size=1m") == 0;
  }
  NoDeviceMount(const NoDeviceMount&) = delete;
  NoDeviceMount& operator=(const NoDeviceMount&) = delete;
  ~NoDeviceMount() {
    if (mounted_) ::umount2(dir_.path().c_str(), MNT_DETACH);
  }

  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return dir_ / name; }

 private:
  TempDir dir_;
  bool mounted_ = false;
};

}  // namespace patchbay::fake
