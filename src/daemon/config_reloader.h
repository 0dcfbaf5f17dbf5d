#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "daemon/configuration.h"
#include "host/retry_on_exhaustion.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "loop/work_queue.h"
#include "paths/mounts.h"
#include "paths/path_checker.h"
#include "paths/path_follower.h"
#include "rules/plan/plan_fwd.h"
#include "status/counters.h"
#include "status/node_status.h"

namespace patchbay::daemon {

/// Reloads the daemon's configuration when it changes. The class follows the configuration files,
/// and the node facts that `when:` uses. After a change, it reads all files and facts again. It
/// applies the new plan if the new plan differs from the active one. While a program writes a file,
/// the reload waits.
///
/// It rejects an invalid configuration. It also rejects an edit that needs a mount which our Pod
/// lacks, unless the active configuration lacks the same mount. A read that fails because
/// descriptors or memory ran out is retried.
///
/// Loop thread. Files are read on work threads, and a hung read delays only the reload.
class ConfigReloader final : private paths::PathListener {
 public:
  /// Changes within this time cause one read.
  static constexpr loop::Milliseconds kDebounce{200};
  /// Maximum number of reads in progress. A further change waits until one of them ends.
  static constexpr size_t kMaxReads = 16;
  /// The periodic poll starts no read while this number of reads is in progress. So hung reads of
  /// the poll do not use up kMaxReads, and changes can still be read.
  static constexpr size_t kMaxRetries = 8;

  /// Tests set other times.
  struct Times {
    /// Poll period while some files cause no events: on network file systems, /proc and /sys. A
    /// configuration that could not be read is retried with the same period.
    loop::Milliseconds period = std::chrono::minutes(1);
    /// A read that takes longer counts as hung.
    loop::Milliseconds timeout = std::chrono::seconds(10);
    /// Maximum wait for the program that writes a file to close it.
    loop::Milliseconds writer = std::chrono::seconds(5);
  };

  struct Callbacks {
    /// Reads the whole configuration. `before` is the previous result. Called on work threads, also
    /// concurrently and after the end of the reloader. So the function must own all objects that it
    /// uses.
    std::function<Configuration(const Configuration& before)> read;
    /// Prints errors, warnings and missing mounts for the user. Called for each applied
    /// configuration. Also called for a rejected configuration, unless its errors are the same as
    /// before.
    std::function<void(const Configuration&)> report;
    /// Replaces the active plan.
    std::function<void(const rules::PlanPtr&)> apply;
  };

  /// `running` is the active configuration, which has a plan. `root` is the root of the host's
  /// files. `loop`, `inotify` and `counters` outlive this object.
  ConfigReloader(loop::EventLoop& loop, loop::Inotify& inotify, const paths::HostRoot& root,
                 Configuration running, status::Counters& counters, Callbacks callbacks,
                 Times times);

  [[nodiscard]] status::ConfigurationStatus status() const;

  /// Reads the configuration at once, even if no change was detected.
  void read_again() { read(); }

 private:
  /// The followed paths of one file system.
  struct FollowedPaths {
    FollowedPaths(loop::EventLoop& loop, loop::Inotify& inotify, loop::WorkQueue& queue,
                  const paths::HostRoot& root);
    void follow(std::set<std::string> wanted, paths::PathListener& listener);
    /// Whether there is a path whose changes cause no event.
    [[nodiscard]] bool misses_events() const;

    std::unique_ptr<paths::PathChecker> checker;
    paths::PathFollower follower;
    std::set<std::string> paths;
  };

  void path_event(const std::string& path) override { changed(path); }
  void entry_event(const std::string& path, const loop::InotifyEvent& event) override {
    on_closed(path + '/' + event.name);
  }
  void write_event(const std::string& file, bool closed) override;
  void path_state_changed(const std::string& path, const paths::PathState& /*seen*/) override {
    changed(path);
  }
  void changed(const std::string& path);
  /// Notes that the file was closed, or added to or removed from a directory, so that no read waits
  /// for it any more.
  void on_closed(const std::string& file);
  void on_mount();
  /// The time until which a read waits for files that are being written. A time in the past if no
  /// wait is needed.
  [[nodiscard]] loop::Time written_by() const;
  void read();
  void begin_read();
  void became_slow(uint64_t read);
  void on_read_end(uint64_t read, loop::WorkOutcome outcome, Configuration configuration);
  void ended_late(uint64_t read);
  void on_unresponsive(const char* reason);
  /// Returns false, and schedules a retry, if descriptors or memory ran out during a read.
  bool check_exhaustion(int exhaustion_errno);
  void on_read(Configuration configuration);
  void reject_missing_mounts(Configuration& configuration) const;
  void refuse(const std::string& reason);
  [[nodiscard]] std::string since_text() const;
  void apply();

  /// A read in progress.
  struct Read {
    bool slow = false;  ///< Slow or hung. After a change, another read starts at once.
    loop::Subscription work;
  };

  loop::EventLoop& loop_;
  status::Counters& counters_;
  Callbacks callbacks_;
  const Times times_;
  loop::WorkQueue queue_;
  FollowedPaths own_paths_;
  FollowedPaths host_paths_;
  rules::PlanPtr running_plan_;
  config::Diagnostics missing_mounts_;         ///< Missing mounts of the active configuration.
  std::shared_ptr<const Configuration> last_;  ///< The last one read, active or rejected.
  uint64_t number_ = 1;                        ///< Number of the active configuration; increasing.
  loop::Time since_;                           ///< When the active configuration was applied.
  uint64_t digest_;      ///< Digest of the newest text that gives the active plan.
  std::string refused_;  ///< Why the last read configuration was rejected; empty if it was not.
  loop::Time refused_since_;
  bool unresponsive_ = false;
  host::RetryOnExhaustion exhaustion_;
  paths::MountWatch mounts_;
  /// Files that were written and not closed since, each with the time when the wait for it ends.
  std::map<std::string, loop::Time> writing_;
  loop::Subscription writer_timer_;
  bool changed_since_read_ = false;  ///< A change came after the newest read began.
  loop::Subscription read_timer_;
  loop::Subscription period_timer_;
  std::map<uint64_t, Read> reads_;  ///< By number, in the order of their start.
  uint64_t newest_read_ = 0;
  uint64_t accepted_read_ = 0;  ///< Results of reads that began before this one are stale.
};

}  // namespace patchbay::daemon
