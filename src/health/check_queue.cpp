#include "health/check_queue.h"

#include <algorithm>
#include <utility>

namespace patchbay::health {

loop::Subscription CheckQueue::add(const Check& check, loop::Task begun, CheckRunner::Done done) {
  const uint64_t number = next_number_++;
  waiting_.emplace(number, Entry{&check, std::move(begun), std::move(done)});
  begin_next();
  return loop::Subscription([this, number] { drop(number); });
}

void CheckQueue::begin_next() {
  while (!waiting_.empty() && slots_taken() < limit_) {
    auto next = waiting_.extract(waiting_.begin());
    const uint64_t number = next.key();
    Entry& entry = next.mapped();
    Run& run = running_[number];
    run.done = std::move(entry.done);
    entry.begun();
    run.run = runner_.run(
        *entry.check, [this, number](CheckResult result) { finish(number, std::move(result)); },
        [this, number] { release_slot(number); });
  }
}

size_t CheckQueue::slots_taken() const {
  return static_cast<size_t>(
      std::ranges::count_if(running_, [](const auto& run) { return !run.second.is_blocked; }));
}

void CheckQueue::release_slot(uint64_t number) {
  const auto run = running_.find(number);
  if (run == running_.end() || running_.size() - slots_taken() == kMaxBlocked) return;
  run->second.is_blocked = true;
  begin_next();
}

void CheckQueue::finish(uint64_t number, CheckResult result) {
  auto ended = running_.extract(number);
  // Queued checks start before the receiver can add another run.
  begin_next();
  ended.mapped().done(std::move(result));
}

void CheckQueue::drop(uint64_t number) {
  if (waiting_.erase(number) == 0 && running_.erase(number) > 0) begin_next();
}

}  // namespace patchbay::health
