#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "health/path_check.h"
#include "health/path_watch.h"
#include "inventory/unit_checks.h"
#include "loop/event_loop.h"

namespace patchbay::health {

/// Needs paths of the host. Loop thread.
class PathUser {
 public:
  virtual ~PathUser() = default;
  /// What is wrong with one of its paths is something else now.
  virtual void paths_changed() = 0;
};

/// Knows what is wrong with the paths that units need. One job looks at all of them every period,
/// and at single ones when something happened. Loop thread.
class PathRounds final : private PathWatch::Listener {
 public:
  static constexpr loop::Milliseconds kPeriod{10'000};
  static constexpr loop::Milliseconds kTimeout{2000};
  /// A path at which something happens all the time is not looked at more often than that.
  static constexpr loop::Milliseconds kLeastBetweenEvents{1000};

  struct Options {
    std::function<double()> random;
    bool once = false;  ///< Each path is looked at once, and no more.
    /// Where it is heard that paths come and go; null: nowhere.
    loop::Inotify* inotify = nullptr;
    host::HostRoot root{};
    loop::Milliseconds period = kPeriod;
    loop::Milliseconds least_between_events = kLeastBetweenEvents;
  };

  PathRounds(loop::EventLoop& loop, PathCheck& check, Options options,
             std::function<void()> on_looked);
  PathRounds(const PathRounds&) = delete;
  PathRounds& operator=(const PathRounds&) = delete;

  /// Looks at the path from now on; soon for the first time, if nobody needed it before.
  void need(const inventory::NeededPath& path, PathUser& user);
  void release(const inventory::NeededPath& path, PathUser& user);
  /// Something happened to it: looks soon.
  void look(const inventory::NeededPath& path);

  /// What was wrong with a needed path when it was last looked at; empty: nothing.
  [[nodiscard]] const std::string& fault(const inventory::NeededPath& path) const;
  /// Every path that is to be looked at was.
  [[nodiscard]] bool idle() const { return to_look_at_.empty() && asked_.empty(); }

 private:
  struct Entry {
    std::string fault;
    std::set<PathUser*> users;
    loop::Time event{};      ///< The last for which it was looked at.
    bool way_known = false;  ///< That is watched.
    int looks = 0;           ///< In a row, during each of which its way became another.
  };
  using Entries = std::map<inventory::NeededPath, Entry>;

  void path_event(const std::string& path) override;
  void events_lost() override;
  [[nodiscard]] bool needs_below(const std::string& directory) const override;
  void note_event(Entries::value_type& entry);
  void look_soon();
  void look_at_all();
  void begin();
  void done(const PathsSeen& seen);
  void follow(Entries::value_type& entry, const PathsSeen& seen, bool changed);
  void wait_for_next_round();

  loop::EventLoop& loop_;
  PathCheck& check_;
  Options options_;
  std::function<void()> on_looked_;
  std::optional<PathWatch> watch_;
  Entries entries_;
  std::set<inventory::NeededPath> to_look_at_;
  std::set<inventory::NeededPath> asked_;  ///< The running job.
  std::set<inventory::NeededPath> later_;  ///< Something happened again.
  bool events_lost_ = false;               ///< So all are in to_look_at_.
  loop::Time began_{};
  loop::Subscription soon_;
  loop::Subscription again_;
  loop::Subscription next_;
  loop::Subscription run_;
};

}  // namespace patchbay::health
