#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/unique_fd.h"

namespace patchbay::host {

/// Whether a thread that must not block may read core sysfs files of a device: its links, and files
/// that no driver writes. They are in the kernel's memory, unless another file system is mounted
/// over them, which may hang. Any thread.
class NonblockingSysfs {
 public:
  /// Checks whether /sys is the kernel's device tree. Blocking.
  void learn();

  /// Whether the directory exists, with nothing else mounted on its path. Null: unknown; kernels
  /// before 5.6 cannot tell without blocking.
  [[nodiscard]] std::optional<bool> has(const std::string& syspath) const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const UniqueFd> top_;  ///< Descriptor of /sys. Null: unknown. Guarded by mutex_.
};

}  // namespace patchbay::host
