#include "pods/ask_times.h"

#include <utility>

namespace patchbay::pods {

AskTimes::AskTimes(loop::EventLoop& loop, loop::Task ask) : loop_(loop), ask_(std::move(ask)) {}

void AskTimes::allocated() {
  if (!std::exchange(soon_set_, true)) {
    soon_ = loop_.after(kSoon, [this] {
      soon_set_ = false;
      ask_();
    });
  }
  later_ = loop_.after(kLater, [this] { ask_(); });
}

}  // namespace patchbay::pods
