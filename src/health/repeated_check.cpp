#include "health/repeated_check.h"

#include <utility>

#include "health/pace.h"

namespace patchbay::health {

RepeatedCheck::RepeatedCheck(const Setting& setting, const Check& check, loop::Milliseconds period,
                             Callbacks callbacks)
    : setting_(setting), check_(check), period_(period), callbacks_(std::move(callbacks)) {}

void RepeatedCheck::start(bool first_soon) {
  if (!first_soon || setting_.once) return enqueue();
  rest_until(first_run(setting_.loop.now(), period_, setting_.random()));
}

void RepeatedCheck::run_now() {
  if (state_ == State::running) again_ = true;
  if (state_ == State::resting) enqueue();
}

void RepeatedCheck::enqueue() {
  timer_.reset();
  state_ = State::queued;
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
  callbacks_.done(result);
  setting_.on_ended();
  if (std::exchange(again_, false)) return run_now();
  if (setting_.once) return;
  const loop::Time now = setting_.loop.now();
  rest_until(next_run(began_, now, period_, setting_.random()));
}

void RepeatedCheck::rest_until(loop::Time due) {
  timer_ = setting_.loop.after(until(due, setting_.loop.now()), [this] { enqueue(); });
}

}  // namespace patchbay::health
