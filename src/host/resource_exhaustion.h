#pragma once

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "base/unique_fd.h"

namespace patchbay::host {

/// Hears, while it lives, whether the kernel refuses its thread a descriptor or memory. What was
/// read meanwhile then says nothing of the host: a directory seems empty, a file absent. Who opens
/// something of the host tells why that failed by note(). Of the thread that made it.
class ResourceExhaustion {
 public:
  ResourceExhaustion() : before_(std::exchange(current_, this)) {}
  ResourceExhaustion(const ResourceExhaustion&) = delete;
  ResourceExhaustion& operator=(const ResourceExhaustion&) = delete;
  ~ResourceExhaustion() { current_ = before_; }

  /// Whether that errno says that.
  static bool is_exhaustion(int error) {
    return error == EMFILE || error == ENFILE || error == ENOMEM;
  }
  /// Any errno; others than those of want of room are nothing.
  static void record(int error) {
    if (is_exhaustion(error) && current_ != nullptr) current_->error_ = error;
  }
  /// After a library has opened files and may not have said that it could not.
  static void probe() {
    if (current_ != nullptr && !UniqueFd(::open("/", O_PATH | O_CLOEXEC))) record(errno);
  }

  /// The errno; 0: nothing was refused.
  [[nodiscard]] int error() const { return error_; }

 private:
  inline static thread_local ResourceExhaustion* current_ = nullptr;
  ResourceExhaustion* before_;
  int error_ = 0;
};

}  // namespace patchbay::host
