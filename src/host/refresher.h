#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/facts/fact_reader.h"
#include "loop/event_loop.h"
#include "loop/work_queue.h"
#include "paths/responsiveness.h"
#include "paths/stealable_batch.h"

namespace patchbay::host {

/// The reason of a read, which is also its priority: the highest first.
enum class ReadReason : uint8_t {
  event,   ///< An event occurred for the entity.
  found,   ///< A scan found an entity that is not reported yet.
  rescan,  ///< A rescan verifies a reported entity.
};

/// Reads devices, paths and static names after hints and scans, and reports the result of each
/// read. At most one job reads an entity at a time; a hint during a read causes one more read.
///
/// Jobs take slices of the queue, and at most kJobs run at once. Entities that were slow before
/// wait in the slow lane: a queue that a further job reads one by one. A job that waits long for
/// one entity keeps only that one. The rest of its slice goes to other jobs, and the job no longer
/// counts among kJobs. Loop thread, except the function that `read` returns.
class Refresher {
 public:
  /// Maximum number of entities in a slice, normally and for a large scan. Larger slices delay
  /// queued hints. Smaller ones need more jobs, and each job costs two thread wake-ups.
  static constexpr size_t kSlice = 64;
  static constexpr size_t kLargeSlice = 256;
  static constexpr size_t kJobs = 2;
  static constexpr loop::Milliseconds kSlow{50};  ///< Slower entities wait in the slow lane.
  /// Limit of `read_from_event` calls per kInlineWindow. In a storm of events a job that reads each
  /// entity once is often cheaper, and does not delay the loop.
  static constexpr size_t kMaxInlineReads = 8;
  static constexpr loop::Milliseconds kInlineWindow{10};

  /// Reads one entity, in a job. Null: the slice takes too long, and this entity and the rest go
  /// back to the queue. Never null for the first entity.
  using ReadOne = std::function<std::optional<Reading>(const Target&)>;

  struct Callbacks {
    std::function<loop::Time()> now;
    /// Builds the input of a read from a key.
    std::function<Target(const std::string& key, ReadReason)> target;
    /// Reads an entity after an event without blocking. Null: a job must read it.
    std::function<std::optional<Reading>(const Target&)> read_cached{
        [](const auto&) { return std::nullopt; }};
    /// Reads a device without blocking, from the uevent just received. Null: a job must read it.
    std::function<std::optional<Reading>(const Target&, const DeviceFacts& event_facts)>
        read_from_event{[](const auto&, const auto&) { return std::nullopt; }};
    /// Creates the reader of a job with that number of entities. The reader records its progress
    /// and must own what it needs.
    std::function<ReadOne(size_t targets, const std::shared_ptr<ReadProgress>& progress)> read;
    /// Runs a job on a thread where it may hang.
    std::function<loop::Subscription(loop::Task blocking, loop::WorkQueue::Callbacks callbacks)>
        run;
    /// Whether a finished read must be discarded because udevd is busy with the device; a hint
    /// follows.
    std::function<bool(const std::string& key)> must_discard;
    /// The entity exists, and was read; its facts may be unchanged.
    std::function<void(const Reading&)> seen;
    /// A new entity exists, and the read of some of its facts takes long: see DeviceFacts::unread.
    /// `event_time`: see Reading::event_time.
    std::function<void(const DeviceFactsPtr& facts, std::optional<loop::Time> event_time)>
        seen_partly{[](const auto&, auto) {}};
    /// Whether the entity is a symbolic link. Called for each valid reading, before its result.
    std::function<void(const std::string& key, bool is_link)> link_checked{
        [](const auto&, bool) {}};
    /// The entity is not reported yet, because udevd has made no record of it: see
    /// Reading::deferred.
    std::function<void(const std::string& key)> deferred;
    /// The read failed with an errno of resource exhaustion. The receiver calls read_again() later.
    std::function<void(const std::string& key, int error)> exhausted{[](const auto&, int) {}};
    /// A reported entity no longer exists. `event_time`: see Reading::event_time.
    std::function<void(const std::string& key, std::optional<loop::Time> event_time)> gone;
    /// `hung`: the read of an entity timed out, or is skipped because of loop::kMaxHungPerMount
    /// or because no thread is free. `ok` follows the delivery of a result, also for an entity that
    /// was never unresponsive. `progress`: the current step of a read that has not ended.
    std::function<void(const std::string& key, paths::Responsiveness responsiveness,
                       const ReadProgress::State& progress)>
        responsiveness_changed;
    /// The mount of an entity: reads on one mount may hang together. Empty: its read does not hang
    /// together with others.
    std::function<std::string(const std::string& key)> mount;
  };

  explicit Refresher(Callbacks callbacks);

  /// Reads the entity soon.
  void hint(const std::string& key);
  /// Reads a device after a uevent: at once if that needs no job and few events came within
  /// kInlineWindow, otherwise soon.
  void hint_from_event(const DeviceFacts& facts);
  /// Reads the entity again after `exhausted`.
  void read_again(const std::string& key);
  /// Treats the entity as reported: the caller knows it from before.
  void assume(const std::string& key);
  /// Reads these entities when no hints wait. When its turn comes, an entity is skipped if it is
  /// already reported (ReadReason::found), or no longer reported (ReadReason::rescan).
  void scan(std::vector<std::string> keys, ReadReason reason);
  /// Discards queued scans, because a new scan of everything begins.
  void drop_scans() { scanned_ = {}; }
  /// Reports the entity as gone at once. The result of a running read is discarded.
  void gone(const std::string& key);

  /// Whether the entity is reported, waits after a hint, is being read, or is skipped. A queued
  /// scan does not count.
  [[nodiscard]] bool knows(const std::string& key) const { return entries_.contains(key); }
  /// The reported keys below `directory`.
  [[nodiscard]] std::vector<std::string> reported_below(const std::string& directory) const;
  [[nodiscard]] uint64_t reads() const { return reads_; }

  /// Calls `task` once, when everything that is queued now has been read or is unresponsive. Later
  /// scans for unreported entities delay it; queued rescans and the slow lane do not.
  void when_caught_up(loop::Task task);

 private:
  struct Entry {
    enum class State : uint8_t {
      idle,
      queued,
      reading,            ///< A job reads it.
      discarded_reading,  ///< A job reads it; the result is discarded.
    };
    State state = State::idle;
    bool reported = false;
    bool slow = false;
    /// A scan found it while a read was running. That read may have begun before it existed.
    bool found_during_read = false;
    /// Time of the first hint after the last read began.
    std::optional<loop::Time> event_time;
    uint64_t hint_during_read = 0;  ///< Number of the first hint during a read.

    [[nodiscard]] bool is_being_read() const {
      return state == State::reading || state == State::discarded_reading;
    }
  };
  using State = Entry::State;
  /// By key. An entry stays in the map while its entity is queued, being read, reported, or
  /// skipped.
  using Entities = std::map<std::string, Entry, std::less<>>;
  using Entity = Entities::value_type;
  struct Waiting {
    uint64_t number = 0;  ///< Number of the hint, increasing.
    std::string key;
  };
  /// A call of when_caught_up(): it is complete when everything requested before it has been read.
  struct Fence {
    uint64_t next_hint = 0;   ///< Number of the first hint after the call.
    uint64_t hint_limit = 0;  ///< Waits until all hints with smaller numbers are in jobs.
    /// Then waits for all jobs with smaller numbers. 0: hints are still queued.
    uint64_t job_limit = 0;
    loop::Task task;

    /// Waits again, for all hints with smaller numbers.
    void wait_for(uint64_t hints) {
      hint_limit = hints;
      job_limit = 0;
    }
  };

  void hint(Entity& entity);
  bool try_read_inline(Entity& entity, const DeviceFacts& event_facts);
  [[nodiscard]] bool is_storm(loop::Time now);
  void enqueue(Entity& entity);
  void dispatch();
  std::vector<Target> next_slice();
  void take_hinted(std::vector<Target>& slice);
  void take_scanned(ReadReason reason, std::vector<Target>& slice);
  void take(Entity& entity, ReadReason reason, std::vector<Target>& slice);
  void start_job(std::vector<Target> targets, bool slow_lane);
  void became_slow(uint64_t job);
  void ended(uint64_t job, loop::WorkOutcome outcome);
  void apply_found(paths::StealableBatch<Target, Reading>& slice);
  void accept(const Target& target, const Reading& reading);
  void mark_unresponsive(uint64_t job, paths::Responsiveness responsiveness);
  void give_up(const Target& target);
  [[nodiscard]] bool is_given_up(const std::string& key) const;
  [[nodiscard]] size_t working() const;
  void put_back(const Target& target);
  void apply(const Target& target, const Reading& reading);
  void deliver(Entity& entity, const Reading& reading);
  void forget_if_idle(Entities::iterator entity);
  void check_fence();

  struct Job {
    std::shared_ptr<paths::StealableBatch<Target, Reading>> slice;
    std::shared_ptr<ReadProgress> progress;
    bool slow_lane = false;
    paths::Responsiveness responsiveness = paths::Responsiveness::ok;
    bool partly_delivered = false;  ///< Some facts of `key` were delivered before the others.
    std::string key;                ///< Key of the entity for which an unresponsive job waits.
    std::string mount;              ///< Mount of that entity.
    loop::Subscription subscription;
  };
  void deliver_part(Job& job, const Target& target, const DeviceFactsPtr& facts);

  Callbacks callbacks_;
  Entities entries_;
  std::deque<Waiting> hinted_;
  std::deque<Waiting> slow_;
  std::array<std::deque<std::string>, 3> scanned_;  ///< By ReadReason.
  std::map<uint64_t, Job> jobs_;
  /// Keys that are skipped because too many reads hang, or no thread is free. They are read when an
  /// unresponsive read ends.
  std::set<std::string> given_up_;
  bool slow_lane_busy_ = false;
  loop::Time inline_since_{};  ///< Start of the current window of inline reads.
  size_t inline_reads_ = 0;
  uint64_t next_job_ = 1;
  uint64_t next_hint_ = 1;
  uint64_t reads_ = 0;
  std::deque<Fence> fences_;
};

}  // namespace patchbay::host
