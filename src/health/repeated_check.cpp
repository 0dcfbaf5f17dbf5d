#include "health/repeated_check.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace patchbay::health {
namespace {

using loop::Milliseconds;
using loop::Time;

/// Coarsest grid: limits all probes together to one wake-up in this time.
constexpr Milliseconds kCoarsest{1024};

/// A fraction of the period that is a power of two. So times of a long period are also on the grid
/// of a short one.
Milliseconds time_grid(Milliseconds period) {
  const auto fraction =
      static_cast<uint64_t>(std::clamp(period / 8, Milliseconds(1), kCoarsest).count());
  return Milliseconds(std::bit_floor(fraction));
}

Time after_period(Time from, Milliseconds period, double random) {
  // Jitter of a sixteenth; the grid adds as much again.
  const auto jitter = std::chrono::duration_cast<Time::duration>(period * (random - 0.5) / 8);
  const auto grid = time_grid(period);
  const auto due = (from + period + jitter).time_since_epoch() + grid / 2;
  return Time(std::chrono::floor<Milliseconds>(due) / grid * grid);
}

}  // namespace

Time next_run(Time began, Time ended, Milliseconds period, double random) {
  const Time due = after_period(began, period, random);
  return due > ended ? due : after_period(ended, period, random);
}

Milliseconds time_until(Time due, Time now) {
  return std::max(std::chrono::ceil<Milliseconds>(due - now), Milliseconds(0));
}

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
