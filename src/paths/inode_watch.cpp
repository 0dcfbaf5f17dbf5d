#include "paths/inode_watch.h"

#include <utility>

namespace patchbay::paths {

Result<bool> InodeWatch::renew(const WatchPoint& point, CheckNumbers checks, const Begin& begin) {
  const bool same = device_ == point.device && inode_ == point.inode;
  if (watch_ && same) return check_ >= checks.applied;
  watch_.reset();
  device_ = point.device;
  inode_ = point.inode;
  check_ = checks.begun;
  auto watch = begin();
  if (watch) {
    failed_check_ = 0;
    watch_ = *std::move(watch);
    return true;
  }
  // After one failure the inode may just have disappeared; then the next check finds its
  // replacement.
  if (failed_check_ != 0 && failed_check_ < checks.applied)
    return std::unexpected(std::move(watch).error());
  failed_check_ = checks.begun;
  return true;
}

}  // namespace patchbay::paths
