#pragma once

#include <sys/mount.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "fake/patience.h"

namespace patchbay::soak {

/// A file system of 256 KiB, mounted at a directory for the lifetime of this object. Requires root.
class SmallDisk {
 public:
  explicit SmallDisk(std::string directory) : directory_(std::move(directory)) {
    std::filesystem::create_directories(directory_);
    is_mounted_ = ::mount("tmpfs", directory_.c_str(), "tmpfs", 0, kSize) == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (is_mounted_) ::umount2(directory_.c_str(), MNT_DETACH);
  }

  [[nodiscard]] bool is_mounted() const { return is_mounted_; }

  void fill() const {
    std::ofstream file(filler());
    file << std::string(size_t{512} << 10U, 'x');
  }
  void empty() const {
    std::error_code missing;
    std::filesystem::remove(filler(), missing);
  }
  /// Waits until nobody writes a file. Returns whether it succeeded.
  [[nodiscard]] bool set_read_only(bool read_only) const {
    const unsigned long flags = MS_REMOUNT | (read_only ? MS_RDONLY : 0);
    return fake::wait_until(
        [&] { return ::mount("tmpfs", directory_.c_str(), "tmpfs", flags, kSize) == 0; });
  }

 private:
  static constexpr const char* kSize = "size=256k";
  [[nodiscard]] std::string filler() const { return directory_ + "/filler"; }

  std::string directory_;
  bool is_mounted_ = false;
};

}  // namespace patchbay::soak
