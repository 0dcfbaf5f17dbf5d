#pragma once

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "base/unique_fd.h"

namespace patchbay::paths {

/// Records whether the kernel refuses a descriptor or memory to the current thread while this
/// object exists. If so, the results of reads are wrong: a directory seems empty, a file absent.
/// Code that opens host files passes the errno of a failure to record(). Not thread-safe.
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
  /// Records an errno if is_exhaustion(); ignores others.
  static void record(int error) {
    if (is_exhaustion(error) && current_ != nullptr) current_->error_ = error;
  }
  /// Opens a file, and records a failure. Call it after a library has opened files, because the
  /// library may have hidden a failure.
  static void probe() {
    if (current_ != nullptr && !UniqueFd(::open("/", O_PATH | O_CLOEXEC))) record(errno);
  }

  /// The last recorded errno. 0 if nothing was refused.
  [[nodiscard]] int error() const { return error_; }

 private:
  inline static thread_local ResourceExhaustion* current_ = nullptr;
  ResourceExhaustion* before_;
  int error_ = 0;
};

}  // namespace patchbay::paths
