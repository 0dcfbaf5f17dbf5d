#include "pods/allocation_batcher.h"

#include <utility>

namespace patchbay::pods {

AllocationBatcher::AllocationBatcher(loop::EventLoop& loop,
                                     std::function<void(const Allocation&)> deliver)
    : loop_(loop), deliver_(std::move(deliver)) {}

void AllocationBatcher::add(Allocation allocation) {
  {
    const std::lock_guard lock(mutex_);
    devices_ += allocation.devices.size();
    batch_.push_back(std::move(allocation));
    if (std::exchange(delivery_scheduled_, true) && devices_ < kMaxBatched) return;
  }
  loop_.post([deliver_here = weak_self_.guard(&AllocationBatcher::deliver_now)]() mutable {
    deliver_here();
  });
}

std::vector<AllocationBatcher::Allocation> AllocationBatcher::take() {
  const std::lock_guard lock(mutex_);
  devices_ = 0;
  auto batch = std::exchange(batch_, {});
  delivery_scheduled_ = !batch.empty();
  return batch;
}

void AllocationBatcher::deliver_now() {
  const auto batch = take();
  // Allocates during the pause wait for its end. If there are none, the next one is delivered
  // immediately.
  pause_.reset();
  if (batch.empty()) return;
  pause_ = loop_.after(kBatchTime, [this] { deliver_now(); });
  for (const Allocation& allocation : batch) deliver_(allocation);
}

}  // namespace patchbay::pods
