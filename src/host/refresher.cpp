#include "host/refresher.h"

#include <algorithm>
#include <iterator>

namespace patchbay::host {

Refresher::Refresher(loop::EventLoop& loop, Callbacks callbacks)
    : loop_(loop), callbacks_(std::move(callbacks)) {}

void Refresher::hint(const std::string& key) {
  Entry& entry = entries_[key];
  entry.event = true;
  if (entry.running) entry.again = true;
  if (entry.queued || entry.running) return;
  enqueue(key);
  dispatch();
}

void Refresher::enqueue(const std::string& key) {
  Entry& entry = entries_[key];
  entry.queued = true;
  (entry.slow ? slow_ : hinted_).push_back({.number = next_hint_++, .key = key});
}

void Refresher::scan(std::vector<std::string> keys, Urgency urgency) {
  auto& list = scanned_[static_cast<size_t>(urgency)];
  std::ranges::move(keys, std::back_inserter(list));
  dispatch();
}

void Refresher::gone(const std::string& key) {
  const auto it = entries_.find(key);
  if (it == entries_.end()) return;
  Entry& entry = it->second;
  entry.queued = false;
  entry.again = false;
  entry.dropped = entry.running;
  const bool was_told = std::exchange(entry.told, false);
  forget_if_idle(key);
  if (was_told) callbacks_.gone(key);
}

std::vector<std::string> Refresher::told_below(const std::string& directory) const {
  std::vector<std::string> keys;
  const std::string prefix = directory + '/';
  for (auto it = entries_.lower_bound(prefix); it != entries_.end(); ++it) {
    if (!it->first.starts_with(prefix)) break;
    if (it->second.told) keys.push_back(it->first);
  }
  return keys;
}

void Refresher::when_caught_up(loop::Task task) {
  fences_.push_back({.hint = next_hint_, .job = 0, .task = std::move(task)});
  check_fence();
}

void Refresher::dispatch() {
  while (jobs_.size() < kJobs) {
    auto slice = next_slice();
    if (slice.empty()) break;
    start_job(std::move(slice), false);
  }
  while (!slow_lane_busy_ && !slow_.empty()) {
    std::vector<Target> one;
    const std::string key = std::move(slow_.front().key);
    slow_.pop_front();
    if (const auto it = entries_.find(key); it != entries_.end() && it->second.queued) {
      take(key, Urgency::event, one);
      start_job(std::move(one), true);
    }
  }
}

std::vector<Target> Refresher::next_slice() {
  std::vector<Target> slice;
  take_hinted(slice);
  if (slice.empty()) take_scanned(Urgency::unknown, slice);
  // A rescan leaves a job's place free for events.
  if (slice.empty() && jobs_.empty()) take_scanned(Urgency::known, slice);
  return slice;
}

void Refresher::take_hinted(std::vector<Target>& slice) {
  while (!hinted_.empty() && slice.size() < kSlice) {
    const std::string key = std::move(hinted_.front().key);
    hinted_.pop_front();
    const auto it = entries_.find(key);
    if (it == entries_.end() || !it->second.queued) continue;
    take(key, Urgency::event, slice);
  }
}

void Refresher::take_scanned(Urgency urgency, std::vector<Target>& slice) {
  auto& list = scanned_[static_cast<size_t>(urgency)];
  while (!list.empty() && slice.size() < kSlice) {
    const std::string key = std::move(list.front());
    list.pop_front();
    const Entry entry = entries_[key];
    const bool busy = entry.queued || entry.running;
    if (busy || entry.told != (urgency == Urgency::known)) {
      forget_if_idle(key);
    } else if (entry.slow) {
      enqueue(key);
    } else {
      take(key, urgency, slice);
    }
  }
}

void Refresher::take(const std::string& key, Urgency urgency, std::vector<Target>& slice) {
  Entry& entry = entries_[key];
  entry.queued = false;
  entry.running = true;
  slice.push_back(callbacks_.target(key, urgency));
  slice.back().event = entry.event;
}

void Refresher::start_job(std::vector<Target> targets, bool slow_lane) {
  const uint64_t job = next_job_++;
  if (slow_lane) {
    slow_lane_busy_ = true;
  } else {
    jobs_.insert(job);
  }
  reads_ += targets.size();
  struct Job {
    std::vector<Target> targets;
    std::vector<Reading> readings;
  };
  const auto work = std::make_shared<Job>(Job{.targets = std::move(targets), .readings = {}});
  loop_.work([work, read = callbacks_.read] { work->readings = read(work->targets); },
             alive_.guard([work, job, slow_lane](Refresher& refresher) {
               refresher.finish_job(job, slow_lane, work->targets, work->readings);
             }));
}

void Refresher::finish_job(uint64_t job, bool slow_lane, const std::vector<Target>& targets,
                           const std::vector<Reading>& readings) {
  jobs_.erase(job);
  if (slow_lane) slow_lane_busy_ = false;
  for (size_t i = 0; i < readings.size(); ++i) apply(targets[i].key, readings[i]);
  for (size_t i = targets.size(); i > readings.size(); --i) put_back(targets[i - 1].key);
  dispatch();
  check_fence();
}

void Refresher::put_back(const std::string& key) {
  Entry& entry = entries_[key];
  entry.running = false;
  const bool again = std::exchange(entry.again, false);
  const bool dropped = std::exchange(entry.dropped, false);
  if (again || entry.told) {
    enqueue(key);
  } else if (!dropped) {
    scanned_[static_cast<size_t>(Urgency::unknown)].push_front(key);
  }
  forget_if_idle(key);
  for (Fence& fence : fences_) fence = {next_hint_, 0, std::move(fence.task)};
}

void Refresher::apply(const std::string& key, const Reading& reading) {
  Entry& entry = entries_[key];
  entry.running = false;
  entry.slow = reading.took >= kSlow;
  const bool again = std::exchange(entry.again, false);
  const bool dropped = std::exchange(entry.dropped, false);
  entry.event = again;
  if (!dropped && !callbacks_.blocked(key)) deliver(key, reading);
  if (again) {
    hint(key);
  } else {
    forget_if_idle(key);
  }
}

void Refresher::deliver(const std::string& key, const Reading& reading) {
  Entry& entry = entries_[key];
  if (reading.held) {
    callbacks_.held(key);
  } else if (reading.facts) {
    entry.told = true;
    callbacks_.seen(reading);
  } else {
    const bool was_told = std::exchange(entry.told, false);
    if (was_told) callbacks_.gone(key);
  }
}

void Refresher::forget_if_idle(const std::string& key) {
  const auto it = entries_.find(key);
  if (it == entries_.end()) return;
  const Entry& entry = it->second;
  if (!entry.told && !entry.queued && !entry.running) entries_.erase(it);
}

void Refresher::check_fence() {
  while (!fences_.empty()) {
    Fence& fence = fences_.front();
    if (fence.job == 0) {
      if (!scanned_[static_cast<size_t>(Urgency::unknown)].empty()) return;
      if (!hinted_.empty() && hinted_.front().number < fence.hint) return;
      fence.job = next_job_;
    }
    if (!jobs_.empty() && *jobs_.begin() < fence.job) return;
    loop::Task task = std::move(fence.task);
    fences_.pop_front();
    task();
  }
}

}  // namespace patchbay::host
