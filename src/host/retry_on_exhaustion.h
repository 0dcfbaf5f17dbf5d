#pragma once

#include <functional>
#include <map>
#include <string>

#include "loop/event_loop.h"

namespace patchbay::host {

/// What could not be read for want of descriptors or memory. Says so once, with what can be raised,
/// and once that it is over; has all of it read again meanwhile. Loop thread.
class RetryOnExhaustion {
 public:
  /// Between two attempts: the first, then twice as long each time, up to the last.
  static constexpr loop::Milliseconds kFirstDelay{100};
  static constexpr loop::Milliseconds kMaxDelay{5000};
  /// What could not be read for so long is not waited for.
  static constexpr loop::Milliseconds kGiveUpAfter{2000};

  explicit RetryOnExhaustion(loop::EventLoop& loop) : loop_(loop) {}

  /// Reading it was refused with that errno; `again` begins to read it again, and may be called
  /// while that is under way. True: it is to be waited for yet.
  bool refused(const std::string& name, int error, std::function<void()> again);
  /// It was read, or need not be.
  void succeeded(const std::string& name) { refused_.erase(name); }

 private:
  struct Refused {
    loop::Time since{};
    std::function<void()> again{};
  };

  void arm();
  void retry();

  loop::EventLoop& loop_;
  std::map<std::string, Refused> refused_;  ///< By name.
  loop::Milliseconds wait_ = kFirstDelay;
  loop::Subscription timer_;  ///< As long as there is a shortage, as far as is known.
};

}  // namespace patchbay::host
