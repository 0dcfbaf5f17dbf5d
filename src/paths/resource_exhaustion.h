#pragma once

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "base/unique_fd.h"

namespace patchbay::paths {

/// Records, in its scope, whether the kernel refuses its thread a descriptor or memory. Reads in
/// that scope say nothing about the host: a directory seems empty, a file absent. Code that opens
/// host files passes the errno of a failure to record(). For the thread that created it.
class ResourceExhaustion {
 public:
  ResourceExhaustion() : before_(std::exchange(current_, this)) {}
  ResourceExhaustion(const ResourceExhaustion&) = delete;
  ResourceExhaustion& operator=(const ResourceExhaustion&) = delete;
  ~ResourceExhaustion() { current_ = before_; }

  /// Whether the errno means exhausted descriptors or memory.
  static bool is_exhaustion(int error) {
    return error == EMFILE || error == ENFILE || error == ENOMEM;
  }
  /// Records an errno. Other errnos are ignored.
  static void record(int error) {
    if (is_exhaustion(error) && current_ != nullptr) current_->error_ = error;
  }
  /// For use after a library has opened files and may have hidden such a failure.
  static void probe() {
    if (current_ != nullptr && !UniqueFd(::open("/", O_PATH | O_CLOEXEC))) record(errno);
  }

  /// The errno. 0: nothing was refused.
  [[nodiscard]] int error() const { return error_; }

 private:
  inline static thread_local ResourceExhaustion* current_ = nullptr;
  ResourceExhaustion* before_;
  int error_ = 0;
};

}  // namespace patchbay::paths
