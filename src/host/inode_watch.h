#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "host/path_chain.h"
#include "loop/event_loop.h"

namespace patchbay::host {

/// The watch of what stands at a place, made anew when something else stands there. Looks at places
/// are numbered as they begin. Loop thread.
class InodeWatch {
 public:
  using Begin = std::function<Result<loop::Subscription>()>;
  struct CheckNumbers {
    uint64_t begun = 0;    ///< The newest.
    uint64_t applied = 0;  ///< The one that found the place.
  };

  /// True: look again, since it was not watched yet when that look began, or may only have gone
  /// meanwhile. An Error: it cannot be watched.
  Result<bool> renew(const WatchPoint& point, CheckNumbers checks, const Begin& begin);

  explicit operator bool() const { return static_cast<bool>(watch_); }

 private:
  loop::Subscription watch_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  uint64_t check_ = 0;         ///< After which it was watched.
  uint64_t failed_check_ = 0;  ///< After which it could not be; 0: that is not known.
};

}  // namespace patchbay::host
