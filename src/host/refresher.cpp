#include "host/refresher.h"

#include <algorithm>
#include <iterator>

#include "host/glob_source.h"
#include "host/unresponsive_reads.h"
#include "paths/responsiveness.h"

namespace patchbay::host {

Refresher::Refresher(const loop::EventLoop& loop, Targets& targets, const UdevPending& pending,
                     EntityReader& reader, UnresponsiveReads& unresponsive, GlobSource& globs,
                     ReadListener& listener)
    : loop_(loop),
      targets_(targets),
      pending_(pending),
      reader_(reader),
      unresponsive_(unresponsive),
      globs_(globs),
      listener_(listener) {}

void Refresher::refresh(const std::string& key) {
  if (!pending_.blocks(key)) hint(key);
}

void Refresher::refresh_from_event(const DeviceFacts& facts) {
  if (pending_.blocks(facts.key)) return;
  Entity& entity = *entries_.try_emplace(facts.key).first;
  if (!try_read_inline(entity, facts)) hint(entity);
}

void Refresher::refresh_if_known(const std::string& key) {
  if (knows(key)) refresh(key);
}

void Refresher::refresh_around(const std::string& syspath) {
  for (const std::string& key : reported_below(syspath)) refresh(key);
  if (targets_.sysfs()->empty()) return;
  for (std::string above = syspath; above.size() > 1;) {
    above.resize(above.rfind('/'));
    if (targets_.sysfs_finds(above)) refresh_if_known(above);
  }
}

void Refresher::hint(const std::string& key) { hint(*entries_.try_emplace(key).first); }

void Refresher::hint(Entity& entity) {
  Entry& entry = entity.second;
  if (entry.is_being_read() && !entry.event_time) entry.hint_during_read = next_hint_++;
  if (!entry.event_time) entry.event_time = loop_.now();
  if (entry.state != State::idle) return;
  enqueue(entity);
  dispatch();
}

/// Reads the entity at once from its event. False: it needs a job, or already waits for one.
bool Refresher::try_read_inline(Entity& entity, const DeviceFacts& event_facts) {
  auto& [key, entry] = entity;
  // Only jobs call check_fence() at their end, so use a job while when_caught_up() waits.
  if (entry.state != State::idle || entry.slow || !fences_.empty() || is_given_up(key)) {
    return false;
  }
  const loop::Time now = loop_.now();
  if (is_storm(now)) return false;
  Target target = this->target(key, ReadReason::event);
  target.event_time = entry.event_time.value_or(now);
  const auto reading = reader_.try_read_from_event(target, event_facts);
  if (!reading) return false;
  entry.event_time.reset();
  entry.state = State::reading;
  accept(target, *reading);
  return true;
}

bool Refresher::is_storm(loop::Time now) {
  if (now - inline_since_ >= kInlineWindow) {
    inline_since_ = now;
    inline_reads_ = 0;
  }
  return ++inline_reads_ > kMaxInlineReads;
}

/// After an entity was refused.
void Refresher::read_again(const std::string& key) {
  const auto known = entries_.find(key);
  if (known != entries_.end() && known->second.reported) {
    hint(key);
  } else {
    scan({key}, ReadReason::found);
  }
}

void Refresher::assume(const std::string& key) { entries_[key].reported = true; }

void Refresher::enqueue(Entity& entity) {
  entity.second.state = State::queued;
  (entity.second.slow ? slow_ : hinted_).push_back({.number = next_hint_++, .key = entity.first});
}

void Refresher::scan(std::vector<std::string> keys, ReadReason reason) {
  auto& list = scanned_[static_cast<size_t>(reason)];
  std::ranges::move(keys, std::back_inserter(list));
  dispatch();
}

void Refresher::gone(const std::string& key) {
  const auto it = entries_.find(key);
  if (it == entries_.end()) return;
  Entry& entry = it->second;
  entry.state = entry.is_being_read() ? State::discarded_reading : State::idle;
  const auto event_time = std::exchange(entry.event_time, std::nullopt);
  const bool was_reported = std::exchange(entry.reported, false);
  forget_if_idle(it);
  if (was_reported) listener_.gone(key, event_time.value_or(loop_.now()));
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
  fences_.push_back(
      {.next_hint = next_hint_, .hint_limit = next_hint_, .job_limit = 0, .task = std::move(task)});
  check_fence();
}

void Refresher::dispatch() {
  while (working() < kJobs) {
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
      take(*it, ReadReason::event, one);
      if (!one.empty()) start_job(std::move(one), true);
    }
  }
}

Target Refresher::target(const std::string& key, ReadReason reason) {
  Target target = targets_.target(key);
  target.defer_uninitialised = reason == ReadReason::found && pending_.udevd_is_busy();
  return target;
}

std::vector<Target> Refresher::next_slice() {
  std::vector<Target> slice;
  take_hinted(slice);
  if (slice.empty()) take_scanned(ReadReason::found, slice);
  // A rescan leaves one job free for events.
  if (slice.empty() && working() == 0) take_scanned(ReadReason::rescan, slice);
  return slice;
}

void Refresher::take_hinted(std::vector<Target>& slice) {
  while (!hinted_.empty() && slice.size() < kSlice) {
    const std::string key = std::move(hinted_.front().key);
    hinted_.pop_front();
    const auto it = entries_.find(key);
    if (it == entries_.end() || it->second.state != State::queued) continue;
    take(*it, ReadReason::event, slice);
  }
}

void Refresher::take_scanned(ReadReason reason, std::vector<Target>& slice) {
  auto& list = scanned_[static_cast<size_t>(reason)];
  // Limits slices so that all jobs have work until the end.
  const size_t most = std::clamp(list.size() / (2 * kJobs), kSlice, kLargeSlice);
  while (!list.empty() && slice.size() < most) {
    const auto entity = entries_.try_emplace(std::move(list.front())).first;
    list.pop_front();
    Entry& entry = entity->second;
    if (entry.is_being_read() && reason == ReadReason::found) entry.found_during_read = true;
    if (entry.state != State::idle || entry.reported != (reason == ReadReason::rescan)) {
      forget_if_idle(entity);
    } else if (entry.slow) {
      enqueue(*entity);
    } else {
      take(*entity, reason, slice);
    }
  }
}

void Refresher::take(Entity& entity, ReadReason reason, std::vector<Target>& slice) {
  auto& [key, entry] = entity;
  Target target = this->target(key, reason);
  target.event_time = std::exchange(entry.event_time, std::nullopt);
  if (is_given_up(key)) return give_up(target);
  entry.state = State::reading;
  // Only jobs call check_fence() at their end, so use a job while when_caught_up() waits.
  if (reason == ReadReason::event && fences_.empty()) {
    if (const auto reading = reader_.try_read_cached(target)) return accept(target, *reading);
    target.cached_read_failed = true;
  }
  slice.push_back(std::move(target));
}

size_t Refresher::working() const {
  return static_cast<size_t>(std::ranges::count_if(jobs_, [](const auto& job) {
    return !job.second.slow_lane && job.second.responsiveness == paths::Responsiveness::ok;
  }));
}

bool Refresher::is_given_up(const std::string& key) const {
  return paths::is_mount_full(jobs_, [&] { return reader_.mount_of(key); });
}

/// Skips the entity. It is read when an unresponsive read has ended, or at its next hint if fewer
/// hang by then.
void Refresher::give_up(const Target& target) {
  Entry& entry = entries_.at(target.key);
  entry.state = State::idle;
  if (target.event_time) entry.event_time = target.event_time;
  given_up_.insert(target.key);
  unresponsive_.entity_read(target.key, paths::Responsiveness::unresponsive, {.what = target.key});
}

void Refresher::start_job(std::vector<Target> targets, bool slow_lane) {
  const uint64_t number = next_job_++;
  if (slow_lane) slow_lane_busy_ = true;
  Job& job = jobs_[number];
  job.slow_lane = slow_lane;
  job.progress = std::make_shared<ReadProgress>();
  job.slice = std::make_shared<Batch>(std::move(targets));
  job.subscription =
      reader_.start(job.slice, job.progress,
                    {.done = [this, number](loop::WorkOutcome outcome) { ended(number, outcome); },
                     .became_slow = [this, number] { became_slow(number); },
                     .ended_late = [this, number] { ended(number, loop::WorkOutcome::done); }});
}

void Refresher::became_slow(uint64_t number) {
  Batch& slice = *jobs_.at(number).slice;
  const auto rest = slice.steal_rest();
  apply_found(slice);
  for (size_t i = rest.size(); i > 0; --i) put_back(rest[i - 1]);
  mark_unresponsive(number, paths::Responsiveness::slow);
  dispatch();
  check_fence();
}

void Refresher::ended(uint64_t number, loop::WorkOutcome outcome) {
  Job& job = jobs_.at(number);
  const auto slice = job.slice;
  const auto rest = slice->steal_rest();
  // A hung read may have failed because the file system was removed or remounted.
  if (job.responsiveness == paths::Responsiveness::unresponsive) hint(job.key);
  apply_found(*slice);
  if (outcome == loop::WorkOutcome::timed_out) {
    mark_unresponsive(number, paths::Responsiveness::unresponsive);
  } else {
    const Job past = std::move(jobs_.extract(number).mapped());
    if (past.slow_lane && past.responsiveness == paths::Responsiveness::ok) slow_lane_busy_ = false;
    if (past.responsiveness != paths::Responsiveness::ok) {
      for (const std::string& key : std::exchange(given_up_, {})) hint(key);
    }
  }
  for (size_t i = rest.size(); i > 0; --i) {
    outcome == loop::WorkOutcome::no_thread ? give_up(rest[i - 1]) : put_back(rest[i - 1]);
  }
  dispatch();
  check_fence();
}

void Refresher::apply_found(Batch& slice) {
  for (const auto& [target, reading] : slice.take_results()) accept(target, reading);
}

void Refresher::accept(const Target& target, const Reading& reading) {
  ++reads_;
  given_up_.erase(target.key);
  apply(target, reading);
  if (reading.exhaustion_errno != 0) {
    unresponsive_.entity_refused(target.key, reading.exhaustion_errno,
                                 [this, key = target.key] { read_again(key); });
  } else {
    unresponsive_.entity_read(target.key, paths::Responsiveness::ok, {});
  }
}

/// Reports that the entity which this job reads does not answer. Nothing else waits for it from now
/// on.
void Refresher::mark_unresponsive(uint64_t number, paths::Responsiveness responsiveness) {
  Job& job = jobs_.at(number);
  const auto current = job.slice->current();
  if (!current) return;  // It has ended in the meantime.
  if (job.responsiveness == paths::Responsiveness::ok) {
    if (job.slow_lane) slow_lane_busy_ = false;
    job.key = current->key;
    job.mount = reader_.mount_of(job.key);
  }
  const auto now = job.progress->state();
  deliver_part(job, *current, now.facts);
  job.responsiveness = responsiveness;
  unresponsive_.entity_read(job.key, responsiveness, now);
}

/// Reports the facts read so far, so that rules which need no others do not wait. An entity
/// reported before keeps its facts until the read has ended.
void Refresher::deliver_part(Job& job, const Target& target, const DeviceFactsPtr& facts) {
  if (!facts || facts->unread.empty() || pending_.blocks(target.key)) return;
  Entry& entry = entries_.at(target.key);
  if (entry.state != State::reading || (entry.reported && !job.partly_delivered)) return;
  job.partly_delivered = entry.reported = true;
  listener_.seen_partly(facts, target.event_time);
}

void Refresher::put_back(const Target& target) {
  const auto entity = entries_.find(target.key);
  Entry& entry = entity->second;
  const bool counts = std::exchange(entry.state, State::idle) == State::reading;
  if (counts && target.event_time) entry.event_time = target.event_time;  // That hint was earlier.
  if (entry.event_time || entry.reported) {
    enqueue(*entity);
  } else if (counts || entry.found_during_read) {
    scanned_[static_cast<size_t>(ReadReason::found)].push_front(target.key);
  }
  entry.found_during_read = false;
  forget_if_idle(entity);
  for (Fence& fence : fences_) fence.wait_for(next_hint_);
}

/// If a receiver makes a hint for an entity of this job, the hint waits until the result of that
/// entity is delivered.
void Refresher::apply(const Target& target, const Reading& reading) {
  const auto entity = entries_.find(target.key);
  auto& [key, entry] = *entity;
  entry.slow = reading.took >= kSlow;
  const bool counts = entry.state == State::reading;
  if (reading.exhaustion_errno == 0 && counts && !pending_.blocks(key)) deliver(*entity, reading);
  entry.state = State::idle;
  const bool listed = std::exchange(entry.found_during_read, false);
  if (entry.event_time) {
    const uint64_t hinted = entry.hint_during_read;
    hint(*entity);
    for (Fence& fence : fences_) {
      if (hinted < fence.next_hint) fence.wait_for(next_hint_);
    }
  } else if (listed && !entry.reported) {
    // It existed when it was listed, so a read that did not find it is older: read it again.
    scan({key}, ReadReason::found);
    forget_if_idle(entries_.find(target.key));
  } else {
    forget_if_idle(entity);
  }
}

void Refresher::deliver(Entity& entity, const Reading& reading) {
  auto& [key, entry] = entity;
  globs_.path_checked(key, reading.is_link);
  if (reading.deferred) {
    listener_.deferred(key);
  } else if (reading.facts) {
    entry.reported = true;
    listener_.seen(reading);
  } else {
    const bool was_reported = std::exchange(entry.reported, false);
    if (was_reported) listener_.gone(key, reading.event_time);
  }
}

void Refresher::forget_if_idle(Entities::iterator entity) {
  if (entity == entries_.end()) return;
  if (!entity->second.reported && entity->second.state == State::idle) entries_.erase(entity);
}

void Refresher::check_fence() {
  while (!fences_.empty()) {
    Fence& fence = fences_.front();
    if (fence.job_limit == 0) {
      if (!scanned_[static_cast<size_t>(ReadReason::found)].empty()) return;
      if (!hinted_.empty() && hinted_.front().number < fence.hint_limit) return;
      fence.job_limit = next_job_;
    }
    const auto delays = [&](const auto& job) {
      return job.first < fence.job_limit && !job.second.slow_lane &&
             job.second.responsiveness == paths::Responsiveness::ok;
    };
    if (std::ranges::any_of(jobs_, delays)) return;
    loop::Task task = std::move(fence.task);
    fences_.pop_front();
    task();
  }
}

}  // namespace patchbay::host
