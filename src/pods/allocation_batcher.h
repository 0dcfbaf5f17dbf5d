#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "loop/event_loop.h"
#include "loop/weak_self.h"

namespace patchbay::pods {

/// Passes answered Allocates from gRPC's thread to the loop thread. The first is delivered
/// immediately, and those within the next kBatchTime are delivered together. Otherwise each
/// Allocate would wake up the loop thread, and the kubelet's next call would wait for the CPU.
class AllocationBatcher {
 public:
  struct Allocation {
    std::string resource;
    std::vector<std::string> devices;  ///< Ids of the kubelet's devices.
    loop::Time at;                     ///< Time of the answer.
  };

  static constexpr loop::Milliseconds kBatchTime{100};
  /// A batch of this many devices is delivered immediately.
  static constexpr size_t kMaxBatched = 1000;

  /// `deliver` is called on the loop thread, in order.
  AllocationBatcher(loop::EventLoop& loop, std::function<void(const Allocation&)> deliver);
  AllocationBatcher(const AllocationBatcher&) = delete;
  AllocationBatcher& operator=(const AllocationBatcher&) = delete;
  /// Discards Allocates that were not delivered. No add() may follow. Loop thread.
  ~AllocationBatcher() = default;

  /// Any thread.
  void add(Allocation allocation);
  /// Delivers all at once, without a wait for the end of a batch. Loop thread.
  void deliver_now();

 private:
  [[nodiscard]] std::vector<Allocation> take();

  loop::EventLoop& loop_;
  std::function<void(const Allocation&)> deliver_;
  std::mutex mutex_;  ///< Guards batch_, devices_ and delivery_scheduled_.
  std::vector<Allocation> batch_;
  size_t devices_ = 0;               ///< Number of devices in batch_.
  bool delivery_scheduled_ = false;  ///< The loop will call deliver_now().
  loop::Subscription pause_;         ///< Timer of the next delivery. Used on the loop thread.
  loop::WeakSelf<AllocationBatcher> weak_self_{this};
};

}  // namespace patchbay::pods
