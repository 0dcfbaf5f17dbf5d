#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "fake/kernel_devices.h"

namespace patchbay::fake {

/// A disk of zeros: a loop device on a sparse file, attached for the lifetime of this object.
/// Requires root.
class LoopDisk {
 public:
  static constexpr off_t kBytes = off_t{160} << 20;  ///< mkfs.btrfs needs 109 MiB.

  explicit LoopDisk(const std::string& file) : file_(file) {
    const UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!fd || ::ftruncate(fd.get(), kBytes) != 0) return;
    if (run_command({"losetup", "--find", file}) != 0) return;
    name_ = name_of(file);
  }
  LoopDisk(LoopDisk&& other) noexcept
      : file_(std::move(other.file_)), name_(std::exchange(other.name_, {})) {}
  LoopDisk& operator=(LoopDisk&&) = delete;
  LoopDisk(const LoopDisk&) = delete;
  LoopDisk& operator=(const LoopDisk&) = delete;
  ~LoopDisk() {
    if (made()) run_command({"losetup", "--detach", devnode()});
  }

  [[nodiscard]] bool made() const { return !name_.empty(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string devnode() const { return "/dev/" + name_; }

  /// Writes bytes through the device node, as a program would that uses the disk.
  [[nodiscard]] bool write(off_t offset, const std::string& bytes) const {
    const UniqueFd fd(::open(devnode().c_str(), O_WRONLY | O_CLOEXEC));
    const auto size = static_cast<ssize_t>(bytes.size());
    return fd && ::pwrite(fd.get(), bytes.data(), bytes.size(), offset) == size;
  }

 private:
  /// The name of the loop device that is attached to the file; empty if there is none.
  static std::string name_of(const std::string& file) {
    for (const auto& entry : std::filesystem::directory_iterator("/sys/class/block")) {
      std::ifstream attached(entry.path() / "loop/backing_file");
      std::string backing;
      if (std::getline(attached, backing) && backing == file) return entry.path().filename();
    }
    return {};
  }

  std::string file_;
  std::string name_;
};

}  // namespace patchbay::fake
