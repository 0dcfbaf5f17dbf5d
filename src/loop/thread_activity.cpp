#include "loop/thread_activity.h"

#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace patchbay::loop {
namespace {

/// All activities. Never destroyed, because readers run until the process ends.
struct Registry {
  std::mutex mutex;
  std::vector<const ThreadActivity*> threads;  // Guarded by mutex.
};
Registry& registry() {
  static auto* the_registry = new Registry;
  return *the_registry;
}

Milliseconds between(Time begin, Time end) {
  return std::chrono::duration_cast<Milliseconds>(end - begin);
}

}  // namespace

ThreadActivity::ThreadActivity(const char* thread) : thread_(thread), id_(gettid()) {
  const std::lock_guard lock(registry().mutex);
  registry().threads.push_back(this);
}

ThreadActivity::~ThreadActivity() {
  const std::lock_guard lock(registry().mutex);
  std::erase(registry().threads, this);
}

void ThreadActivity::begin(const char* doing) {
  since_ = std::chrono::steady_clock::now().time_since_epoch().count();
  doing_ = doing;
}

std::vector<ThreadActivity::Sample> ThreadActivity::sample_all() {
  std::vector<Sample> all;
  const std::lock_guard lock(registry().mutex);
  for (const ThreadActivity* activity : registry().threads) {
    Sample& sample = all.emplace_back(Sample{
        .thread = activity->thread_, .id = activity->id_, .doing = activity->doing_, .since = {}});
    sample.since = Time(Time::duration(activity->since_));
  }
  return all;
}

std::vector<StallDetector::Change> StallDetector::update(
    Time now, std::span<const ThreadActivity::Sample> threads) {
  std::vector<Change> changes;
  std::map<pid_t, ThreadActivity::Sample> before = std::exchange(stalled_, {});
  for (const ThreadActivity::Sample& sample : threads) {
    if (sample.doing == nullptr) continue;
    if (between(sample.since, now) < ThreadActivity::kStallTime) continue;
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
