#include "host/refresher.h"

#include <algorithm>
#include <iterator>

namespace patchbay::host {

Refresher::Refresher(loop::EventLoop& loop, Callbacks callbacks)
    : loop_(loop), callbacks_(std::move(callbacks)) {}

void Refresher::hint(const std::string& key) {
  Entry& entry = entries_[key];
  if (entry.is_read() && !entry.event) entry.again = next_hint_++;
  entry.event = true;
  if (entry.state != State::idle) return;
  enqueue(key);
  dispatch();
}

void Refresher::enqueue(const std::string& key) {
  Entry& entry = entries_[key];
  entry.state = State::queued;
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
  entry.state = entry.is_read() ? State::void_reading : State::idle;
  entry.event = false;
  const bool was_reported = std::exchange(entry.reported, false);
  forget_if_idle(key);
  if (was_reported) callbacks_.gone(key);
}

std::vector<std::string> Refresher::reported_below(const std::string& directory) const {
  std::vector<std::string> keys;
  const std::string prefix = directory + '/';
  for (auto it = entries_.lower_bound(prefix); it != entries_.end(); ++it) {
    if (!it->first.starts_with(prefix)) break;
    if (it->second.reported) keys.push_back(it->first);
  }
  return keys;
}

void Refresher::when_caught_up(loop::Task task) {
  fences_.push_back({.made = next_hint_, .hint = next_hint_, .job = 0, .task = std::move(task)});
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
    if (const auto it = entries_.find(key);
        it != entries_.end() && it->second.state == State::queued) {
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
    if (it == entries_.end() || it->second.state != State::queued) continue;
    take(key, Urgency::event, slice);
  }
}

void Refresher::take_scanned(Urgency urgency, std::vector<Target>& slice) {
  auto& list = scanned_[static_cast<size_t>(urgency)];
  while (!list.empty() && slice.size() < kSlice) {
    const std::string key = std::move(list.front());
    list.pop_front();
    const Entry entry = entries_[key];
    if (entry.state != State::idle || entry.reported != (urgency == Urgency::known)) {
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
  entry.state = State::reading;
  slice.push_back(callbacks_.target(key, urgency));
  slice.back().event = std::exchange(entry.event, false);
}

void Refresher::start_job(std::vector<Target> targets, bool slow_lane) {
  const uint64_t job = next_job_++;
  if (slow_lane) {
    slow_lane_busy_ = true;
  } else {
    jobs_.insert(job);
  }
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
  reads_ += readings.size();
  for (size_t i = 0; i < readings.size(); ++i) apply(targets[i].key, readings[i]);
  for (size_t i = targets.size(); i > readings.size(); --i) put_back(targets[i - 1]);
  dispatch();
  check_fence();
}

void Refresher::put_back(const Target& target) {
  Entry& entry = entries_[target.key];
  const bool counts = std::exchange(entry.state, State::idle) == State::reading;
  const bool again = entry.event;
  entry.event = again || (counts && target.event);
  if (again || entry.reported) {
    enqueue(target.key);
  } else if (counts) {
    scanned_[static_cast<size_t>(Urgency::unknown)].push_front(target.key);
  }
  forget_if_idle(target.key);
  for (Fence& fence : fences_) fence.wait_for(next_hint_);
}

void Refresher::apply(const std::string& key, const Reading& reading) {
  Entry& entry = entries_[key];
  const bool counts = std::exchange(entry.state, State::idle) == State::reading;
  entry.slow = reading.took >= kSlow;
  const bool again = entry.event;
  if (counts && !callbacks_.blocked(key)) deliver(key, reading);
  if (again) {
    const uint64_t hinted = entries_[key].again;
    hint(key);
    for (Fence& fence : fences_) {
      if (hinted < fence.made) fence.wait_for(next_hint_);
    }
  } else {
    forget_if_idle(key);
  }
}

void Refresher::deliver(const std::string& key, const Reading& reading) {
  Entry& entry = entries_[key];
  if (reading.held) {
    callbacks_.held(key);
  } else if (reading.facts) {
    entry.reported = true;
    callbacks_.seen(reading);
  } else {
    const bool was_reported = std::exchange(entry.reported, false);
    if (was_reported) callbacks_.gone(key);
  }
}

void Refresher::forget_if_idle(const std::string& key) {
  const auto it = entries_.find(key);
  if (it == entries_.end()) return;
  if (!it->second.reported && it->second.state == State::idle) entries_.erase(it);
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
