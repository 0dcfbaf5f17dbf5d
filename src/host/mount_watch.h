#pragma once

#include <functional>

#include "base/unique_fd.h"
#include "loop/event_loop.h"

namespace patchbay::host {

/// Tells that file systems were mounted or unmounted where this process sees it: what stands at a
/// path may be another now, which no directory tells. Several in a row are told once, a moment
/// later; so is the beginning. Without /proc nothing is told. Loop thread.
class MountWatch {
 public:
  MountWatch(loop::EventLoop& loop, std::function<void()> on_change);
  MountWatch(const MountWatch&) = delete;
  MountWatch& operator=(const MountWatch&) = delete;

  /// Why nothing is told: the errno; 0: it is.
  [[nodiscard]] int error() const { return error_; }

 private:
  void changed();

  loop::EventLoop& loop_;
  std::function<void()> on_change_;
  UniqueFd mounts_;
  int error_ = 0;
  loop::Subscription watching_;
  loop::Subscription soon_;
};

}  // namespace patchbay::host
