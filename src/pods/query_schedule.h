#pragma once

#include <optional>

#include "loop/event_loop.h"

namespace patchbay::pods {

/// When the kubelet is asked who holds what: 1 s and 10 s after an Allocate of ours, when the Pod
/// may be active and when it is; else when somebody looks, but no more often than every 15 s. While
/// neither happens there is no timer. Loop thread.
class QuerySchedule {
 public:
  static constexpr loop::Milliseconds kFirstDelay{1000};
  static constexpr loop::Milliseconds kSecondDelay{10'000};
  static constexpr loop::Milliseconds kMinInterval{15'000};

  /// `ask` is called when it is time, from a timer.
  QuerySchedule(loop::EventLoop& loop, loop::Task query);

  /// An Allocate was answered. Those of one second lead to one question.
  void allocated();
  /// The kubelet is being asked, whyever.
  void query_started() { last_query_ = loop_.now(); }
  /// Whether it is time to ask for somebody who looks.
  [[nodiscard]] bool is_due() const {
    return !last_query_ || loop_.now() - *last_query_ >= kMinInterval;
  }

 private:
  loop::EventLoop& loop_;
  loop::Task query_;
  std::optional<loop::Time> last_query_;
  bool soon_set_ = false;
  loop::Subscription soon_;
  loop::Subscription later_;
};

}  // namespace patchbay::pods
