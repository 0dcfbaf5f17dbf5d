#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/result.h"
#include "daemon/configuration.h"
#include "host/mount_watch.h"
#include "host/path_checker.h"
#include "host/path_follower.h"
#include "host/retry_on_exhaustion.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "loop/work_threads.h"
#include "observe/counters.h"
#include "observe/node_status.h"
#include "rules/plan.h"

namespace patchbay::daemon {

/// Keeps the daemon at what its configuration says: follows the files that were read, and what
/// `when:` asks of the node, reads everything again when something happens there, and hands on a
/// plan that is another. What cannot be used changes nothing, nor does what cannot be read for want
/// of descriptors, which is read again. Loop thread; files are read on work
/// threads, and one that hangs delays nothing but this.
class ConfigReloader final : private host::PathListener {
 public:
  /// What happens within this time is one change.
  static constexpr loop::Milliseconds kDebounce{200};
  /// The floor under files of which no events come: network file systems, /proc, /sys.
  static constexpr loop::Milliseconds kPeriod = std::chrono::minutes(1);
  /// What has not been read by then hangs.
  static constexpr loop::Milliseconds kTimeout = std::chrono::seconds(10);
  /// At most this many reads are in progress. A further change waits until one of them ends.
  static constexpr size_t kMaxReads = 16;
  /// The retry each minute starts a read only if fewer than this are in progress, so that a file
  /// system that is gone for ever leaves room for changes.
  static constexpr size_t kMaxRetries = 8;

  /// Tests use shorter ones.
  struct Times {
    loop::Milliseconds period = kPeriod;
    loop::Milliseconds timeout = kTimeout;
  };

  struct Callbacks {
    /// Reads everything anew, given what was read before. On work threads, at any time, also
    /// several calls at once: owns what it needs.
    std::function<Configuration(const Configuration& before)> read;
    /// Tells people what is wrong, or most likely not meant; once as long as it is the same.
    std::function<void(const Configuration&)> report;
    /// Has the plan take the place of the one before; an Error: that one goes on.
    std::function<Result<void>(const rules::PlanPtr&)> apply;
  };

  /// `living` has a plan, which was applied. `root` is that of the host's files. All outlive this.
  ConfigReloader(loop::EventLoop& loop, loop::Inotify& inotify, const host::HostRoot& root,
                 Configuration running, observe::Counters& counters, Callbacks callbacks,
                 Times times);
  ConfigReloader(loop::EventLoop& loop, loop::Inotify& inotify, const host::HostRoot& root,
                 Configuration running, observe::Counters& counters, Callbacks callbacks)
      : ConfigReloader(loop, inotify, root, std::move(running), counters, std::move(callbacks),
                       Times{}) {}

  [[nodiscard]] observe::ConfigurationStatus status() const;

  /// As if something had happened to every file.
  void read_again();

 private:
  /// The paths of one file system that are followed.
  struct FollowedPaths {
    FollowedPaths(loop::EventLoop& loop, loop::Inotify& inotify, loop::WorkThreads& threads,
                  const host::HostRoot& root);
    void follow(std::set<std::string> wanted, host::PathListener& listener);
    /// Something happens there that no event tells.
    [[nodiscard]] bool misses_events() const;

    std::unique_ptr<host::PathChecker> look;
    host::PathFollower follower;
    std::set<std::string> paths;
  };

  void path_event(const std::string& path) override { changed(path); }
  void entry_event(const std::string& path, const loop::InotifyEvent& /*event*/) override {
    changed(path);
  }
  void path_state_changed(const std::string& path, const host::PathState& /*seen*/) override {
    changed(path);
  }
  void changed(const std::string& path);
  void on_mount();
  void read();
  void begin_read();
  void became_slow(uint64_t read);
  void on_read_end(uint64_t read, loop::WorkOutcome outcome, Configuration configuration);
  void ended_late(uint64_t read);
  void on_hung();
  /// False: it is to be read again, and changes nothing until then.
  bool check_exhaustion(int exhaustion_errno);
  void on_read(Configuration configuration);
  void refuse(const std::string& reason);
  [[nodiscard]] std::string since_text() const;
  void apply();

  /// A read in progress.
  struct Read {
    bool slow = false;  ///< It lasts long, or hangs: a change does not wait for its end.
    loop::Subscription work;
  };

  loop::EventLoop& loop_;
  observe::Counters& counters_;
  Callbacks callbacks_;
  const Times times_;
  loop::WorkThreads threads_;
  FollowedPaths own_paths_;
  FollowedPaths host_paths_;
  rules::PlanPtr running_plan_;
  std::shared_ptr<const Configuration> last_;  ///< That was read, whether it holds or not.
  uint64_t number_ = 1;                        ///< Of the configuration that holds: they rise.
  loop::Time since_;                           ///< When it came to hold.
  uint64_t digest_;                            ///< Of what it was when it was read last.
  std::string refused_;  ///< Why the last one that was read was refused; empty: it was not.
  loop::Time refused_since_;
  bool hung_ = false;
  host::RetryOnExhaustion shortage_;
  host::MountWatch mounts_;
  bool changed_since_read_ = false;  ///< Something changed after the newest read began.
  loop::Subscription read_timer_;
  loop::Subscription period_timer_;
  std::map<uint64_t, Read> reads_;  ///< By number: a later read has a higher one.
  uint64_t newest_read_ = 0;
  uint64_t accepted_read_ = 0;  ///< Results of reads that began before this one are stale.
};

}  // namespace patchbay::daemon
