#pragma once

#include <optional>

#include "loop/event_loop.h"

namespace patchbay::pods {

/// Decides when to query the kubelet for assignments. After our Allocate it queries twice: after 1
/// s, when the Pod may be active, and after 10 s, when it is. Readers cause at most one query in 15
/// s. Otherwise there is no timer. Loop thread.
class QuerySchedule {
 public:
  static constexpr loop::Milliseconds kFirstDelay{1000};
  static constexpr loop::Milliseconds kSecondDelay{10'000};
  static constexpr loop::Milliseconds kMinInterval{15'000};

  /// `query` is called from a timer.
  QuerySchedule(loop::EventLoop& loop, loop::Task query);

  /// An Allocate was answered. Those within one second cause one query.
  void allocated();
  /// A query started, for any reason.
  void query_started() { last_query_ = loop_.now(); }
  /// Whether a reader's request should cause a query.
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
