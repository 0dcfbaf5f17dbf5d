#pragma once

#include <mutex>
#include <string>
#include <utility>

#include "base/text.h"

namespace patchbay {

/// The message for an unresponsive path.
[[nodiscard]] inline std::string unresponsive_text(const std::string& path) {
  return printable(path, 500) + " is unresponsive: its file system hangs";
}

/// The message for work without a worker thread.
inline constexpr const char* kNoThreadText =
    "no worker thread available: too many operations are blocked";

/// The path that a work thread is using. If that thread hangs, another thread can read the path for
/// an error message. Any thread.
class CurrentPath {
 public:
  void set(std::string path) {
    const std::lock_guard lock(mutex_);
    path_ = std::move(path);
  }
  [[nodiscard]] std::string get() const {
    const std::lock_guard lock(mutex_);
    return path_;
  }

 private:
  mutable std::mutex mutex_;
  std::string path_;  // Guarded by mutex_.
};

}  // namespace patchbay
