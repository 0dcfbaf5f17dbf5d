#include "loop/stall_detector.h"

#include <algorithm>
#include <utility>

namespace patchbay::loop {
namespace {

Milliseconds between(Time begin, Time end) {
  return std::chrono::duration_cast<Milliseconds>(end - begin);
}

}  // namespace

std::vector<StallDetector::Change> StallDetector::update(
    Time now, std::span<const ThreadActivity::Sample> threads) {
  std::vector<Change> changes;
  std::map<pid_t, ThreadActivity::Sample> before = std::exchange(stalled_, {});
  next_.reset();
  for (const ThreadActivity::Sample& sample : threads) {
    if (sample.doing == nullptr) continue;
    const bool stalled = between(sample.since, now) >= ThreadActivity::kStallTime;
    // A stalled thread is sampled again, to report its end.
    const Time again = (stalled ? now : sample.since) + ThreadActivity::kStallTime;
    next_ = next_ ? std::min(*next_, again) : again;
    if (!stalled) continue;
    const auto known = before.find(sample.id);
    if (known != before.end() && known->second.since == sample.since) {
      before.erase(known);
    } else {
      changes.push_back({.stalled = true, .sample = sample, .lasted = between(sample.since, now)});
    }
    stalled_[sample.id] = sample;
  }
  std::vector<Change> all;
  for (const auto& [id, sample] : before) {
    all.push_back({.stalled = false, .sample = sample, .lasted = between(sample.since, now)});
  }
  all.insert(all.end(), changes.begin(), changes.end());
  return all;
}

}  // namespace patchbay::loop
