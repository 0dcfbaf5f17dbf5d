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
class InotifyShortage {
 public:
  enum class Of { watches, instances };
  /// Between two looks: the first, then twice as long each time, up to the last.
  static constexpr Milliseconds kFirst{2'000};
  static constexpr Milliseconds kLast{10'000};

  explicit InotifyShortage(EventLoop& loop) : loop_(loop) {}

  /// Whether an errno is a want of room.
  [[nodiscard]] static bool is_one(int error);
  /// One more was refused.
  void refused(Of what, int error);
  [[nodiscard]] bool now() const { return static_cast<bool>(timer_); }
  /// As Inotify::when_short().
  [[nodiscard]] Subscription when(std::function<void()> look);

 private:
  void arm();
  void look();

  EventLoop& loop_;
  bool refused_ = false;  ///< Since the last look.
  Milliseconds wait_ = kFirst;
  uint64_t next_id_ = 0;
  using Looks = std::map<uint64_t, std::function<void()>>;
  /// Shared with the Subscriptions, which may outlive this.
  std::shared_ptr<Looks> looks_ = std::make_shared<Looks>();
  Subscription timer_;
};

}  // namespace patchbay::loop
