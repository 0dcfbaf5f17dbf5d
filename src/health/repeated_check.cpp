#include "health/repeated_check.h"

#include <algorithm>
#include <utility>

#include "health/check_schedule.h"

namespace patchbay::health {

RepeatedCheck::RepeatedCheck(const Context& context, const Check& check, loop::Milliseconds period,
                             Callbacks callbacks)
    : context_(context), check_(check), period_(period), callbacks_(std::move(callbacks)) {}

void RepeatedCheck::run_now(Trigger trigger) {
  switch (state_) {
    case State::idle:
      return enqueue(trigger);
    case State::queued:
      trigger_ = std::max(trigger_, trigger);
      return;
    case State::running:
      again_ = std::max(again_.value_or(trigger), trigger);
      return;
  }
}

void RepeatedCheck::enqueue(Trigger trigger) {
  timer_.reset();
  state_ = State::queued;
  queued_ = context_.loop.now();
  trigger_ = trigger;
  queue_entry_ = context_.queue.add(
      check_, [this] { begun(); }, [this](const CheckResult& result) { done(result); });
}

void RepeatedCheck::begun() {
  state_ = State::running;
  began_ = context_.loop.now();
  callbacks_.begun();
}

void RepeatedCheck::done(const CheckResult& result) {
  state_ = State::idle;
  callbacks_.done(result, trigger_);
  context_.on_ended();
  if (const auto trigger = std::exchange(again_, std::nullopt)) return run_now(*trigger);
  if (context_.once) return;
  const loop::Time now = context_.loop.now();
  schedule(next_run(began_, now, period_, context_.random()));
}

void RepeatedCheck::schedule(loop::Time due) {
  timer_ = context_.loop.after(time_until(due, context_.loop.now()),
                               [this] { enqueue(Trigger::other); });
}

}  // namespace patchbay::health
