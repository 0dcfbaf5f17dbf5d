#pragma once

#include <functional>

#include "base/unique_fd.h"
#include "loop/event_loop.h"

namespace patchbay::paths {

/// Reports mounts and unmounts in our mount namespace, which may replace a path without an event in
/// any directory. Changes in quick succession, and the start, cause one report after a short delay.
/// Without /proc nothing is reported. Loop thread.
class MountWatch {
 public:
  MountWatch(loop::EventLoop& loop, std::function<void()> on_change);
  MountWatch(const MountWatch&) = delete;
  MountWatch& operator=(const MountWatch&) = delete;

  /// The errno that prevents reports. 0: reports work.
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

}  // namespace patchbay::paths
