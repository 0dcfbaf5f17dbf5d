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
#include <vector>

#include <fmt/format.h>

#include "base/unique_fd.h"
#include "fake/temp_dir.h"

namespace patchbay::fake {

/// A file system that never answers, such as a network file system without its server. Every access
/// to a path in it hangs for the lifetime of this object, or until let_go(). Requires root and
/// /dev/fuse.
class HangingMount {
 public:
  /// Why this machine cannot mount it, as a reason to skip a test.
  [[nodiscard]] static std::optional<std::string> unavailable() {
    if (HangingMount().mounted_) return std::nullopt;
    return "no file system to hang on here: it takes root and /dev/fuse";
  }

  /// Mounts over a new directory with the empty files `beneath`, which the mount hides.
  explicit HangingMount(const std::vector<std::string>& beneath = {})
      : server_(::open("/dev/fuse", O_RDWR | O_CLOEXEC)) {
    for (const std::string& name : beneath) dir_.write(name, "");
    mount_on(dir_.path());
  }
  /// An existing directory to mount over.
  struct Over {
    std::string directory;
  };
  explicit HangingMount(const Over& over) : server_(::open("/dev/fuse", O_RDWR | O_CLOEXEC)) {
    mount_on(over.directory);
  }
  HangingMount(const HangingMount&) = delete;
  HangingMount& operator=(const HangingMount&) = delete;
  ~HangingMount() { let_go(); }

  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] const std::string& path() const { return at_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return at_ + '/' + name; }

  /// Unmounts. All waiting calls fail, and new lookups reach the directory below the mount.
  void let_go() {
    if (mounted_) ::umount2(at_.c_str(), MNT_DETACH);
    mounted_ = false;
    server_.reset();
  }

 private:
  void mount_on(const std::string& directory) {
    at_ = directory;
    const std::string options = fmt::format("fd={},rootmode=40000,user_id={},group_id={}",
                                            server_.get(), ::geteuid(), ::getegid());
    mounted_ =
        ::mount("patchbay", directory.c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()) == 0;
  }

  TempDir dir_;
  std::string at_;
  UniqueFd server_;
  bool mounted_ = false;
};

/// Whether a thread of the process waits in the kernel for a FUSE file system.
inline bool hangs_on_mount(pid_t pid) {
  std::error_code gone;
  const std::filesystem::directory_iterator threads(fmt::format("/proc/{}/task", pid), gone);
  return std::ranges::any_of(threads, [](const auto& thread) {
    std::ifstream file(thread.path() / "wchan");
    std::string place;
    return file >> place && place.find("fuse") != std::string::npos;
  });
}

/// An empty file system on which device nodes cannot be opened, as under a restrictive device
/// cgroup.
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
