#include "health/repeated_check.h"

#include <algorithm>
#include <utility>

#include "health/pace.h"

namespace patchbay::health {

RepeatedCheck::RepeatedCheck(const Setting& setting, const Check& check, loop::Milliseconds period,
                             Callbacks callbacks)
    : setting_(setting), check_(check), period_(period), callbacks_(std::move(callbacks)) {}

void RepeatedCheck::start(bool first_soon) {
  if (!first_soon || setting_.once) return enqueue(Why::other);
  rest_until(first_run(setting_.loop.now(), period_, setting_.random()));
}

void RepeatedCheck::run_now(Why why) {
  switch (state_) {
    case State::resting:
      return enqueue(why);
    case State::queued:
      why_ = std::max(why_, why);
      return;
    case State::running:
      again_ = std::max(again_.value_or(why), why);
      return;
  }
}

void RepeatedCheck::enqueue(Why why) {
  timer_.reset();
  state_ = State::queued;
  queued_ = setting_.loop.now();
  why_ = why;
  place_ = setting_.queue.add(
      check_, [this] { begun(); }, [this](const CheckResult& result) { done(result); });
}

void RepeatedCheck::begun() {
  state_ = State::running;
  began_ = setting_.loop.now();
  callbacks_.begun();
}

void RepeatedCheck::done(const CheckResult& result) {
  state_ = State::resting;
  callbacks_.done(result, why_);
  setting_.on_ended();
  if (const auto why = std::exchange(again_, std::nullopt)) return run_now(*why);
  if (setting_.once) return;
  const loop::Time now = setting_.loop.now();
  rest_until(next_run(began_, now, period_, setting_.random()));
}

void RepeatedCheck::rest_until(loop::Time due) {
  timer_ = setting_.loop.after(until(due, setting_.loop.now()), [this] { enqueue(Why::other); });
}

}  // namespace patchbay::health
