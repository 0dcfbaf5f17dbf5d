#include "pods/query_schedule.h"

#include <utility>

namespace patchbay::pods {

QuerySchedule::QuerySchedule(loop::EventLoop& loop, loop::Task query)
    : loop_(loop), query_(std::move(query)) {}

void QuerySchedule::allocated() {
  if (!std::exchange(soon_set_, true)) {
    soon_ = loop_.after(kFirstDelay, [this] {
      soon_set_ = false;
      query_();
    });
  }
  later_ = loop_.after(kSecondDelay, [this] { query_(); });
}

}  // namespace patchbay::pods
