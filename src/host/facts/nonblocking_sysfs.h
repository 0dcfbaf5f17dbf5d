#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/unique_fd.h"

namespace patchbay::host {

/// Checks whether core sysfs files of a device can be read without blocking. Core files are the
/// device's links, and the files for which the kernel calls no driver. They are in the kernel's
/// memory, unless another file system, which may hang, is mounted over them. Any thread.
class NonblockingSysfs {
 public:
  /// Opens /sys, if it is the kernel's sysfs. Until then has() returns null. Blocking.
  void learn();

  /// Whether the directory exists. Null if that is unknown, because something is mounted on its
  /// path, or because the kernel is older than 5.6.
  [[nodiscard]] std::optional<bool> has(const std::string& syspath) const;

 private:
  mutable std::mutex mutex_;
  /// Descriptor of /sys. Null if not open. Guarded by mutex_.
  std::shared_ptr<const UniqueFd> top_;
};

}  // namespace patchbay::host
