#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "loop/event_loop.h"

namespace patchbay::loop {

/// What the kernel refuses for want of room: watches, or inotify itself. Says so once, with the
/// limit that can be raised, and once that it is over; has who was refused look for itself
/// meanwhile. Loop thread.
class InotifyExhaustion {
 public:
  enum class Resource { watches, instances };
  /// Between two looks: the first, then twice as long each time, up to the last.
  static constexpr Milliseconds kFirstDelay{2'000};
  static constexpr Milliseconds kMaxDelay{10'000};

  explicit InotifyExhaustion(EventLoop& loop) : loop_(loop) {}

  /// Whether an errno is a want of room.
  [[nodiscard]] static bool is_exhaustion(int error);
  /// One more was refused.
  void refused(Resource resource, int error);
  [[nodiscard]] bool is_active() const { return static_cast<bool>(timer_); }
  /// As Inotify::when_short().
  [[nodiscard]] Subscription subscribe(std::function<void()> retry);

 private:
  void arm();
  void retry();

  EventLoop& loop_;
  bool refused_ = false;  ///< Since the last look.
  Milliseconds wait_ = kFirstDelay;
  uint64_t next_id_ = 0;
  using Retries = std::map<uint64_t, std::function<void()>>;
  /// Shared with the Subscriptions, which may outlive this.
  std::shared_ptr<Retries> retries_ = std::make_shared<Retries>();
  Subscription timer_;
};

}  // namespace patchbay::loop
