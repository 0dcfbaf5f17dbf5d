#include "paths/mount_watch.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

namespace patchbay::paths {
namespace {

/// The start of a Pod mounts about a dozen file systems.
constexpr loop::Milliseconds kGathered{20};

}  // namespace

MountWatch::MountWatch(loop::EventLoop& loop, std::function<void()> on_change)
    : loop_(loop),
      on_change_(std::move(on_change)),
      mounts_(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)) {
  if (!mounts_) {
    error_ = errno;
    return;
  }
  watching_ = loop_.watch_exceptional(mounts_.get(), [this] { changed(); });
  // Changes before the loop's first wait are not reported.
  changed();
}

void MountWatch::changed() {
  if (soon_) return;
  soon_ = loop_.after(kGathered, [this] {
    soon_.reset();
    on_change_();
  });
}

}  // namespace patchbay::paths
