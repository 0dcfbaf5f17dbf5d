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

/// Keeps the daemon in step with its configuration. It follows the files that were read and the
/// node facts that `when:` uses. After a change it reads everything again, and applies a plan that
/// differs. It waits for the writer of a file. It rejects an invalid
/// configuration, and an edit that needs a mount which our Pod lacks. Mounts that the active
/// configuration lacks, too, are no reason. A read that fails because descriptors or memory ran out
/// is retried. Loop thread; files are read on work threads, and a hung read delays only the reload.
class ConfigReloader final : private paths::PathListener {
 public:
  /// Changes within this time cause one read.
  static constexpr loop::Milliseconds kDebounce{200};
  /// Maximum number of reads in progress. A further change waits until one of them ends.
  static constexpr size_t kMaxReads = 16;
  /// The periodic retry starts a read only if fewer than this are in progress. A file system that
  /// never answers thus leaves room for changes.
  static constexpr size_t kMaxRetries = 8;

  /// Tests set other times.
  struct Times {
    /// Poll period for files that report no events: on network file systems, /proc and /sys.
    loop::Milliseconds period = std::chrono::minutes(1);
    /// A read that takes longer is hung.
    loop::Milliseconds timeout = std::chrono::seconds(10);
    /// A file that is being written is read when its writer closes it, or after this time.
    loop::Milliseconds writer = std::chrono::seconds(5);
  };

  struct Callbacks {
    /// Reads everything again, given the previous result. Called on work threads, at any time, also
    /// concurrently: it must own what it uses.
    std::function<Configuration(const Configuration& before)> read;
    /// Reports errors, warnings and missing mounts to people. Called once for each distinct result.
    std::function<void(const Configuration&)> report;
    /// Replaces the active plan.
    std::function<void(const rules::PlanPtr&)> apply;
  };

  /// `running` has a plan, which was applied. `root` is the root of the host's files. All arguments
  /// outlive this object.
  ConfigReloader(loop::EventLoop& loop, loop::Inotify& inotify, const paths::HostRoot& root,
                 Configuration running, status::Counters& counters, Callbacks callbacks,
                 Times times);

  [[nodiscard]] status::ConfigurationStatus status() const;

  /// Reads the configuration now, as after a change of every file.
  void read_again() { read(); }

 private:
  /// The followed paths of one file system.
  struct FollowedPaths {
    FollowedPaths(loop::EventLoop& loop, loop::Inotify& inotify, loop::WorkQueue& queue,
                  const paths::HostRoot& root);
    void follow(std::set<std::string> wanted, paths::PathListener& listener);
    /// Whether changes of some path cause no event.
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
  /// Nobody writes this file any more.
  void on_closed(const std::string& file);
  void on_mount();
  /// When to read although files are not closed. Until then a file may be incomplete; the end of
  /// its writer, or the timer, causes a read. Never in the future if no file is being written.
  [[nodiscard]] loop::Time written_by() const;
  void read();
  void begin_read();
  void became_slow(uint64_t read);
  void on_read_end(uint64_t read, loop::WorkOutcome outcome, Configuration configuration);
  void ended_late(uint64_t read);
  void on_unresponsive(const char* reason);
  /// False: descriptors or memory ran out. The read is retried, and changes nothing until then.
  bool check_exhaustion(int exhaustion_errno);
  void on_read(Configuration configuration);
  void reject_missing_mounts(Configuration& configuration) const;
  void refuse(const std::string& reason);
  [[nodiscard]] std::string since_text() const;
  void apply();

  /// A read in progress.
  struct Read {
    bool slow = false;  ///< It is slow or hung: a change does not wait for its end.
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
  config::Diagnostics missing_mounts_;         ///< Those of the active configuration.
  std::shared_ptr<const Configuration> last_;  ///< The last one read, active or not.
  uint64_t number_ = 1;                        ///< Number of the active configuration; increasing.
  loop::Time since_;                           ///< Start of the active configuration.
  uint64_t digest_;      ///< Digest of the active configuration's newest text.
  std::string refused_;  ///< Why the last one read was rejected; empty if it was not.
  loop::Time refused_since_;
  bool unresponsive_ = false;
  host::RetryOnExhaustion exhaustion_;
  paths::MountWatch mounts_;
  /// Files that were written and not closed since, and when to read although they are not closed.
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
