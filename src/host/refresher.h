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

#include "host/fact_reader.h"
#include "host/responsiveness.h"
#include "host/stealable_batch.h"
#include "loop/event_loop.h"
#include "loop/work_threads.h"

namespace patchbay::host {

/// How soon a thing is to be looked at.
enum class Urgency : uint8_t {
  event,    ///< Something happened to it.
  unknown,  ///< A scan found it, and it was not reported yet.
  known,    ///< A rescan looks whether it is still what it was.
};

/// Turns hints into readings: at most one job looks at a thing at a time, and a hint that comes
/// meanwhile has it looked at once more. Jobs take slices of what waits, at most kJobs run; what
/// was slow before waits for the slow lane. A job that waits at one thing for long keeps that one
/// alone: its slice is others', and so is its place. Loop thread, but for what `read` gives.
class Refresher {
 public:
  /// So many things, and more of a scan of many: what waits for a place then waits for longer, but
  /// each job costs two wake-ups of threads.
  static constexpr size_t kSlice = 64;
  static constexpr size_t kLargeSlice = 256;
  static constexpr size_t kJobs = 2;
  static constexpr loop::Milliseconds kSlow{50};  ///< From then on a thing waits in the slow lane.
  /// So many things of one place may wait or hang; no more are read there until one has been.
  static constexpr size_t kMaxHungPerMount = 4;
  /// So many told things are looked at at once, in so long a time. In a storm a job that reads once
  /// what changed often costs less, and holds up nobody.
  static constexpr size_t kMaxInlineReads = 8;
  static constexpr loop::Milliseconds kInlineWindow{10};

  /// In a job: what is there, of one thing after the other. None: that takes too long, it and the
  /// rest is then asked for again; not of the first.
  using ReadOne = std::function<std::optional<Reading>(const Target&)>;

  struct Callbacks {
    std::function<loop::Time()> now;
    /// What there is to know for reading a key.
    std::function<Target(const std::string& key, Urgency)> target;
    /// What is there, for a thing to which something happened, if that can be told without
    /// waiting; none: it is read.
    std::function<std::optional<Reading>(const Target&)> read_cached{
        [](const auto&) { return std::nullopt; }};
    /// The same, for a device of which the kernel has just told that.
    std::function<std::optional<Reading>(const Target&, const DeviceFacts& event_facts)>
        read_from_event{[](const auto&, const auto&) { return std::nullopt; }};
    /// For a job of so many things, which notes what it reads. Must own what it needs.
    std::function<ReadOne(size_t targets, const std::shared_ptr<ReadProgress>& progress)> read;
    /// Runs a job on a thread that it may hang in.
    std::function<loop::Subscription(loop::Task blocking, loop::WorkThreads::Callbacks callbacks)>
        run;
    /// Whether a reading does not count by now: the thing will be hinted again.
    std::function<bool(const std::string& key)> blocked;
    std::function<void(const Reading&)> seen;
    /// A thing that was not reported yet is there, and a read of some of its facts takes long: see
    /// DeviceFacts::unread. `event_time`: as Reading::event_time.
    std::function<void(const DeviceFactsPtr& facts, std::optional<loop::Time> event_time)>
        seen_partly{[](const auto&, auto) {}};
    /// Whether a symbolic link stands there; of each reading that counts, before what it found.
    std::function<void(const std::string& key, bool is_link)> link_checked{
        [](const auto&, bool) {}};
    std::function<void(const std::string& key)> deferred;
    /// The thing could not be read for want of room, with that errno; it is for who hears this to
    /// ask for read_again().
    std::function<void(const std::string& key, int error)> refused{[](const auto&, int) {}};
    /// A thing that was reported is not there any more. `event_time`: as Reading::event_time.
    std::function<void(const std::string& key, std::optional<loop::Time> event_time)> gone;
    /// Whether a reading of the thing has ended; then what it found has been told. Often told of
    /// things that were never silent.
    std::function<void(const std::string& key, Responsiveness responsiveness,
                       const ReadProgress::State& now)>
        responsiveness_changed;
    /// What things have in common whose readings may hang together; empty: nothing.
    std::function<std::string(const std::string& key)> mount;
  };

  explicit Refresher(Callbacks callbacks);

  /// Look at the thing soon.
  void hint(const std::string& key);
  /// The same, of a device of which the kernel has just told that: if it can do without a job, and
  /// few were told just now, it is looked at at once.
  void hint_from_event(const DeviceFacts& facts);
  /// What was refused is to be read.
  void read_again(const std::string& key);
  /// The thing counts as reported: somebody knows it from before.
  void assume(const std::string& key);
  /// Look at all of them when there is time: with Urgency::unknown at those not reported by then,
  /// with Urgency::known at those reported.
  void scan(std::vector<std::string> keys, Urgency urgency);
  /// Forgets what former scans left to do: a new one of everything begins.
  void drop_scans() { scanned_ = {}; }
  /// It is gone: reported at once, and what a running job finds does not count.
  void gone(const std::string& key);

  /// Whether the thing was reported and has not gone, or is to be looked at.
  [[nodiscard]] bool knows(const std::string& key) const { return entries_.contains(key); }
  /// Every thing reported whose key is below `directory`.
  [[nodiscard]] std::vector<std::string> reported_below(const std::string& directory) const;
  [[nodiscard]] uint64_t reads() const { return reads_; }

  /// Calls `task`, once, when everything that waits now (but for the known) has been looked at, or
  /// is silent.
  void when_caught_up(loop::Task task);

 private:
  struct Entry {
    enum class State : uint8_t {
      idle,
      queued,
      reading,            ///< A job looks at it.
      discarded_reading,  ///< The same, but it has gone since: what the job finds does not count.
    };
    State state = State::idle;
    bool reported = false;
    bool slow = false;
    bool listed = false;  ///< By a scan of the unknown while it was read: that may be older.
    /// When it was hinted first since a job last began to look at it.
    std::optional<loop::Time> event_time;
    uint64_t again = 0;  ///< The first hint that came while it was read.

    [[nodiscard]] bool is_read() const {
      return state == State::reading || state == State::discarded_reading;
    }
  };
  using State = Entry::State;
  /// By key. An entry stays where it is as long as its thing is read, or is reported.
  using Entities = std::map<std::string, Entry, std::less<>>;
  using Entity = Entities::value_type;
  struct Waiting {
    uint64_t number = 0;  ///< Of the hint: they rise.
    std::string key;
  };
  /// Everything up to this point has been looked at once these have passed.
  struct Fence {
    uint64_t made = 0;  ///< What was hinted before waits, or is read and will be once more.
    uint64_t hint = 0;
    uint64_t job = 0;
    loop::Task task;

    void wait_for(uint64_t hints) {
      hint = hints;
      job = 0;
    }
  };

  void hint(Entity& entity);
  bool try_read_inline(Entity& entity, const DeviceFacts& event_facts);
  [[nodiscard]] bool is_storm(loop::Time now);
  void enqueue(Entity& entity);
  void dispatch();
  std::vector<Target> next_slice();
  void take_hinted(std::vector<Target>& slice);
  void take_scanned(Urgency urgency, std::vector<Target>& slice);
  void take(Entity& entity, Urgency urgency, std::vector<Target>& slice);
  void start_job(std::vector<Target> targets, bool slow_lane);
  void became_slow(uint64_t job);
  void ended(uint64_t job, loop::WorkOutcome outcome);
  void apply_found(StealableBatch<Target, Reading>& slice);
  void accept(const Target& target, const Reading& reading);
  void mark_unresponsive(uint64_t job, Responsiveness responsiveness);
  void give_up(const Target& target);
  [[nodiscard]] bool is_given_up(const std::string& key) const;
  [[nodiscard]] size_t working() const;
  void put_back(const Target& target);
  void apply(const Target& target, const Reading& reading);
  void deliver(Entity& entity, const Reading& reading);
  void forget_if_idle(Entities::iterator entity);
  void check_fence();

  struct Job {
    std::shared_ptr<StealableBatch<Target, Reading>> slice;
    std::shared_ptr<ReadProgress> progress;
    bool slow_lane = false;
    Responsiveness responsiveness = Responsiveness::ok;
    bool part = false;  ///< Some facts of `key` were delivered before the others.
    std::string key;    ///< What it waits for, of one that is silent,
    std::string mount;  ///< and where that is.
    loop::Subscription subscription;
  };
  void deliver_part(Job& job, const Target& target, const DeviceFactsPtr& facts);

  Callbacks callbacks_;
  Entities entries_;
  std::deque<Waiting> hinted_;
  std::deque<Waiting> slow_;
  std::array<std::deque<std::string>, 3> scanned_;  ///< By Urgency.
  std::map<uint64_t, Job> jobs_;
  /// What is not read for what hangs: it is when some of that has ended.
  std::set<std::string> given_up_;
  bool slow_lane_busy_ = false;
  loop::Time inline_since_{};  ///< When the first was told of those that are counted.
  size_t inline_reads_ = 0;
  uint64_t next_job_ = 1;
  uint64_t next_hint_ = 1;
  uint64_t reads_ = 0;
  std::deque<Fence> fences_;
};

}  // namespace patchbay::host
