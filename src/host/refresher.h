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
#include "host/hints.h"
#include "host/targets.h"
#include "host/udev/udev_pending.h"
#include "loop/event_loop.h"
#include "loop/work_queue.h"
#include "paths/responsiveness.h"
#include "paths/stealable_batch.h"

/// Stage: from hints to facts. Sources of hints (host/hints.h) are UdevSource, LinkWatch,
/// GlobSource, SysfsSource, DeviceSource, FileTriggers and Scanner. An EntityReader reads the
/// entities. HostImpl is the ReadListener, which gets each result.
///
/// To add a source of events:
/// - Add a class that calls Hints, and create it in host/host.cpp. LinkWatch is the model.
/// - Return the state of the source from Host::event_sources(). In HostQuery (model/facts.h), say
///   whether the rules need the source.
/// - Add a counter to model/event_counts.h.
/// - Test an event, lost events (RescanRequests), and a missing source.
namespace patchbay::host {

class GlobSource;
class UnresponsiveReads;

/// How a Refresher reads entities.
class EntityReader {
 public:
  using Batch = paths::StealableBatch<Target, Reading>;

  virtual ~EntityReader() = default;
  /// Reads an entity without blocking. Returns null if a job must read the entity. Loop thread.
  [[nodiscard]] virtual std::optional<Reading> try_read_cached(const Target& target) = 0;
  /// Reads a device without blocking. `event_facts` are the facts in the uevent that was just
  /// received. Returns null if a job must read the device. Loop thread.
  [[nodiscard]] virtual std::optional<Reading> try_read_from_event(
      const Target& target, const DeviceFacts& event_facts) = 0;
  /// Starts a job that reads a batch on a work thread, because reads may hang. The job records in
  /// `progress` which entity it reads. If the batch takes too long, other jobs read the rest of the
  /// batch. The job itself reads at least the first entity.
  [[nodiscard]] virtual loop::Subscription start(std::shared_ptr<Batch> batch,
                                                 std::shared_ptr<ReadProgress> progress,
                                                 loop::WorkQueue::Callbacks callbacks) = 0;
  /// Returns the mount of an entity if its file system can hang as a whole, such as NFS or FUSE:
  /// see Mounts::unreliable_mount_of(). Otherwise returns an empty text. Called only while reads
  /// are slow or hang, because the mount table may be long.
  [[nodiscard]] virtual std::string mount_of(const std::string& key) = 0;
};

/// Receives the results of a Refresher. Loop thread.
class ReadListener {
 public:
  virtual ~ReadListener() = default;
  /// The entity exists and was read. Its facts may be unchanged.
  virtual void seen(const Reading& reading) = 0;
  /// A new entity exists, and the read of some of its facts takes long: see DeviceFacts::unread.
  /// `event_time`: see Reading::event_time.
  virtual void seen_partly(const DeviceFactsPtr& facts, std::optional<loop::Time> event_time) = 0;
  /// The entity must not be reported yet: see Reading::deferred.
  virtual void deferred(const std::string& key) = 0;
  /// A reported entity no longer exists. `event_time`: see Reading::event_time.
  virtual void gone(const std::string& key, std::optional<loop::Time> event_time) = 0;
};

/// Reads entities after hints, and reports the result of each read. Two jobs never read the same
/// entity at the same time. Hints during a read cause one more read. While udevd is busy with a
/// device (UdevPending), hints for the device are ignored, and the result of a read is discarded.
/// UdevSource passes the device to Hints when udevd has finished with the device.
///
/// At most kJobs jobs run at once. Each job takes a slice of the queued entities. An entity whose
/// last read was slow (kSlow) waits in another queue, the slow lane. The slow lane has a job of its
/// own, which reads one entity at a time. If a job waits long for one entity, other jobs get the
/// rest of the slice, and the job no longer counts for kJobs. The job of the slow lane never counts
/// for kJobs. Loop thread.
class Refresher final : public Hints {
 public:
  /// Limits of a slice. A slice of hinted entities has at most kSlice entities. A slice of a scan
  /// has a quarter of the entities that wait, but at least kSlice and at most kLargeSlice. Larger
  /// slices delay queued hints. Smaller slices need more jobs, and each job costs two thread
  /// wake-ups.
  static constexpr size_t kSlice = 64;
  static constexpr size_t kLargeSlice = 256;
  static constexpr size_t kJobs = 2;
  static constexpr loop::Milliseconds kSlow{50};  ///< A read that takes longer is slow.
  /// Maximum number of inline reads within kInlineWindow. An inline read runs on the loop thread,
  /// without a job. With many events, a job is often cheaper: a job reads an entity with several
  /// hints only once, and does not delay the loop.
  static constexpr size_t kMaxInlineReads = 8;
  static constexpr loop::Milliseconds kInlineWindow{10};

  /// The constructor does not use the referenced objects, so they may be constructed later.
  /// `unresponsive` receives the responsiveness of each read. After the read of a path, `globs`
  /// receives whether the path is a symbolic link.
  Refresher(const loop::EventLoop& loop, Targets& targets, const UdevPending& pending,
            EntityReader& reader, UnresponsiveReads& unresponsive, GlobSource& globs,
            ReadListener& listener);

  void refresh(const std::string& key) override;
  /// Reads the device inline if the read cannot block and the limit kMaxInlineReads is not reached.
  /// Otherwise queues the device.
  void refresh_from_event(const DeviceFacts& facts) override;
  void refresh_if_known(const std::string& key) override;
  void refresh_around(const std::string& syspath) override;
  /// Reports the entity as gone at once, if it was reported as existing. The result of a running
  /// read is discarded.
  void gone(const std::string& key) override;
  void scan(std::vector<std::string> keys, ReadReason reason) override;
  [[nodiscard]] std::vector<std::string> reported_below(
      const std::string& directory) const override;
  void when_caught_up(loop::Task task) override;

  /// See Host::assume().
  void assume(const std::string& key);
  /// Discards queued scans, because a new scan of everything begins.
  void drop_scans() { scanned_ = {}; }

  /// Whether the entity is reported, queued after a hint, being read, or given up. An entity that
  /// only waits in a scan does not count.
  [[nodiscard]] bool knows(const std::string& key) const { return entries_.contains(key); }
  [[nodiscard]] uint64_t reads() const { return reads_; }

 private:
  struct Entry {
    enum class State : uint8_t {
      idle,
      queued,
      reading,            ///< A job reads the entity.
      discarded_reading,  ///< A job reads the entity; the result is discarded.
    };
    State state = State::idle;
    bool reported = false;
    bool slow = false;
    /// A scan listed the entity while a job was reading the entity. The read may have begun before
    /// the entity existed. If the job did not find the entity, the entity is read again.
    bool found_during_read = false;
    /// Time of the first hint after the last read began. Null if no hint came.
    std::optional<loop::Time> event_time;
    uint64_t hint_during_read = 0;  ///< Number of the first hint during a read.

    [[nodiscard]] bool is_being_read() const {
      return state == State::reading || state == State::discarded_reading;
    }
  };
  using State = Entry::State;
  /// By key. An entry stays while its entity is queued, being read, reported, or given up.
  using Entities = std::map<std::string, Entry, std::less<>>;
  using Entity = Entities::value_type;
  struct Waiting {
    uint64_t number = 0;  ///< Number of the hint. Later hints have higher numbers.
    std::string key;
  };
  /// A pending call of when_caught_up(). The fence waits for the reads that were requested before
  /// the call, except rescans and slow reads. In addition, the fence waits for scans for new
  /// entities (ReadReason::found) that were requested after the call.
  struct Fence {
    uint64_t next_hint = 0;  ///< Number of the first hint after the call.
    /// First, the fence waits for queued scans for new entities, and for the hints in `hinted_`
    /// with numbers below `hint_limit`. The limit begins as `next_hint`. In two cases, the limit is
    /// raised to Refresher::next_hint_, so that the fence waits for all hints queued so far:
    /// - put_back(): a job returned an entity unread.
    /// - apply(): an entity got a hint while it was being read, and when_caught_up() was called
    ///   after that hint.
    uint64_t hint_limit = 0;
    /// After the scans and hints, the fence waits for the jobs with numbers below `job_limit`,
    /// except slow jobs and the job of the slow lane. The limit is 0 while the fence still waits
    /// for scans and hints.
    uint64_t job_limit = 0;
    loop::Task task;

    /// Makes the fence wait again for scans, and for queued hints with numbers below `limit`.
    void wait_for(uint64_t limit) {
      hint_limit = limit;
      job_limit = 0;
    }
  };

  using Batch = EntityReader::Batch;

  void hint(const std::string& key);
  void hint(Entity& entity);
  bool try_read_inline(Entity& entity, const DeviceFacts& event_facts);
  [[nodiscard]] bool is_storm(loop::Time now);
  void enqueue(Entity& entity);
  void dispatch();
  [[nodiscard]] Target target(const std::string& key, ReadReason reason);
  std::vector<Target> next_slice();
  void take_hinted(std::vector<Target>& slice);
  void take_scanned(ReadReason reason, std::vector<Target>& slice);
  void take(Entity& entity, ReadReason reason, std::vector<Target>& slice);
  void start_job(std::vector<Target> targets, bool slow_lane);
  void became_slow(uint64_t job);
  void ended(uint64_t job, loop::WorkOutcome outcome);
  void apply_found(Batch& slice);
  void accept(const Target& target, const Reading& reading);
  void read_again(const std::string& key);
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
    std::shared_ptr<Batch> slice;
    std::shared_ptr<ReadProgress> progress;
    bool slow_lane = false;
    paths::Responsiveness responsiveness = paths::Responsiveness::ok;
    bool partly_delivered = false;  ///< ReadListener::seen_partly() was called for `key`.
    std::string key;                ///< Key of the entity for which the job waits long, or empty.
    std::string mount;              ///< Result of EntityReader::mount_of() for `key`.
    loop::Subscription subscription;
  };
  void deliver_part(Job& job, const Target& target, const DeviceFactsPtr& facts);

  const loop::EventLoop& loop_;
  Targets& targets_;
  const UdevPending& pending_;
  EntityReader& reader_;
  UnresponsiveReads& unresponsive_;
  GlobSource& globs_;
  ReadListener& listener_;
  Entities entries_;
  std::deque<Waiting> hinted_;
  std::deque<Waiting> slow_;
  std::array<std::deque<std::string>, 3> scanned_;  ///< By ReadReason.
  std::map<uint64_t, Job> jobs_;
  /// Keys of entities that were given up, because too many reads hang or no thread is free. These
  /// entities are read when an unresponsive read ends.
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
