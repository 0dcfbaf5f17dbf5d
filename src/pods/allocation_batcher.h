#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "loop/event_loop.h"
#include "loop/weak_self.h"

namespace patchbay::pods {

/// Allocates that were answered elsewhere, on their way to the loop: the first is told at once, and
/// those that follow it closely are told together, since the loop's thread would else be woken for
/// each, and the kubelet's next call wait for the processor.
class AllocationBatcher {
 public:
  struct Allocation {
    std::string resource;
    std::vector<std::string> devices;
    loop::Time at;  ///< When it was answered.
  };

  static constexpr loop::Milliseconds kBatchTime{100};
  /// Of so many devices nothing is held back.
  static constexpr size_t kMaxBatched = 1000;

  /// `tell` is called on the loop thread, in order.
  AllocationBatcher(loop::EventLoop& loop, std::function<void(const Allocation&)> deliver);
  AllocationBatcher(const AllocationBatcher&) = delete;
  AllocationBatcher& operator=(const AllocationBatcher&) = delete;
  /// Loop thread; what was not told is not told any more. Nobody may add() by then.
  ~AllocationBatcher() = default;

  /// Any thread.
  void add(Allocation allocation);

 private:
  void deliver_all();
  [[nodiscard]] std::vector<Allocation> take();

  loop::EventLoop& loop_;
  std::function<void(const Allocation&)> deliver_;
  std::mutex mutex_;
  std::vector<Allocation> batch_;    // Guarded by mutex_, as the next two.
  size_t devices_ = 0;               ///< In these.
  bool delivery_scheduled_ = false;  ///< The loop looks by itself.
  loop::Subscription pause_;         ///< Loop thread.
  loop::WeakSelf<AllocationBatcher> weak_self_{this};
};

}  // namespace patchbay::pods
