#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "loop/event_loop.h"

namespace patchbay::loop {

/// Handles exhausted inotify watches or instances. Logs the start once, with the limit to raise,
/// and the end once. In between, it calls the owners of refused watches from time to time. Loop
/// thread.
class InotifyExhaustion {
 public:
  enum class Resource { watches, instances };
  /// Delay before a retry: the first one, doubled each time, up to the last.
  static constexpr Milliseconds kFirstDelay{2'000};
  static constexpr Milliseconds kMaxDelay{10'000};

  explicit InotifyExhaustion(EventLoop& loop) : loop_(loop) {}

  /// Whether the errno means exhausted resources.
  [[nodiscard]] static bool is_exhaustion(int error);
  /// A watch or instance was refused.
  void refused(Resource resource, int error);
  [[nodiscard]] bool is_active() const { return static_cast<bool>(timer_); }
  /// See Inotify::on_exhaustion().
  [[nodiscard]] Subscription subscribe(std::function<void()> retry);

 private:
  void arm();
  void retry();

  EventLoop& loop_;
  bool refused_ = false;  ///< Since the last retry.
  Milliseconds wait_ = kFirstDelay;
  uint64_t next_id_ = 0;
  using Retries = std::map<uint64_t, std::function<void()>>;
  /// Shared with the Subscriptions, which may outlive this.
  std::shared_ptr<Retries> retries_ = std::make_shared<Retries>();
  Subscription timer_;
};

}  // namespace patchbay::loop
