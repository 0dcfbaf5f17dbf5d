#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::host {

/// The file systems that are mounted where we see them, for telling which paths have their trouble
/// in common when one does not answer. By what is written in a path: where links lead nobody is
/// asked. Immutable; any thread.
class Mounts {
 public:
  /// As it is now. Asks the kernel's memory alone, so it waits for no file system.
  [[nodiscard]] static Mounts read();
  /// `mountinfo` is as proc(5) has it.
  explicit Mounts(std::string_view mountinfo);

  /// Where the file system that may not answer is mounted that has `path`, which is as we see it;
  /// empty: it is in memory or on a local disk.
  [[nodiscard]] std::string unreliable_mount_of(std::string_view path) const;

 private:
  struct Mount {
    std::string directory;
    bool is_reliable = false;
  };
  std::vector<Mount> mounts_;  ///< In the order in which they were mounted.
};

}  // namespace patchbay::host
