#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/unique_fd.h"

namespace patchbay::host {

/// Whether who cannot wait may read what the kernel itself says in a device's directory: its links,
/// and files that no driver writes. The kernel has them in its memory, unless something else is
/// mounted there, which may hang. Any thread.
class NonblockingSysfs {
 public:
  /// Looks whether the kernel's tree of devices stands at /sys. Blocking.
  void learn();

  /// Whether there is such a directory, with nothing else mounted on the way. None: it is not
  /// known, and the kernel's word (before 5.6 it gives none) is not to be waited for.
  [[nodiscard]] std::optional<bool> has(const std::string& syspath) const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const UniqueFd> top_;  ///< /sys; null: not known. Guarded by mutex_.
};

}  // namespace patchbay::host
