#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "loop/event_loop.h"
#include "paths/path_chain.h"

namespace patchbay::paths {

/// Watches the inode at a watch point, and sets a new watch when another inode is found there.
/// Checks are numbered when they begin. Loop thread.
class InodeWatch {
 public:
  using Begin = std::function<Result<loop::Subscription>()>;
  struct CheckNumbers {
    uint64_t begun = 0;    ///< Number of the newest check.
    uint64_t applied = 0;  ///< Number of the check that found the watch point.
  };

  /// True: check again, because the watch is newer than that check, or the inode may only have
  /// disappeared in between. An Error: it cannot be watched.
  Result<bool> renew(const WatchPoint& point, CheckNumbers checks, const Begin& begin);

  explicit operator bool() const { return static_cast<bool>(watch_); }

 private:
  loop::Subscription watch_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  uint64_t check_ = 0;         ///< Newest check that began before the watch was set.
  uint64_t failed_check_ = 0;  ///< Newest check that began before the watch failed. 0: none failed.
};

}  // namespace patchbay::paths
