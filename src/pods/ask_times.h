#pragma once

#include <optional>

#include "loop/event_loop.h"

namespace patchbay::pods {

/// When the kubelet is asked who holds what: 1 s and 10 s after an Allocate of ours, when the Pod
/// may be active and when it is; else when somebody looks, but no more often than every 15 s. While
/// neither happens there is no timer. Loop thread.
class AskTimes {
 public:
  static constexpr loop::Milliseconds kSoon{1000};
  static constexpr loop::Milliseconds kLater{10'000};
  static constexpr loop::Milliseconds kBetweenLooks{15'000};

  /// `ask` is called when it is time, from a timer.
  AskTimes(loop::EventLoop& loop, loop::Task ask);

  /// An Allocate was answered. Those of one second lead to one question.
  void allocated();
  /// The kubelet is being asked, whyever.
  void asked() { asked_ = loop_.now(); }
  /// Whether it is time to ask for somebody who looks.
  [[nodiscard]] bool is_due() const { return !asked_ || loop_.now() - *asked_ >= kBetweenLooks; }

 private:
  loop::EventLoop& loop_;
  loop::Task ask_;
  std::optional<loop::Time> asked_;
  bool soon_set_ = false;
  loop::Subscription soon_;
  loop::Subscription later_;
};

}  // namespace patchbay::pods
