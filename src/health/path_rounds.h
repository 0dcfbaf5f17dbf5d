#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "health/path_check.h"
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
class PathRounds {
 public:
  static constexpr loop::Milliseconds kPeriod{10'000};
  static constexpr loop::Milliseconds kTimeout{2000};

  /// `once`: each path is looked at once, and no more.
  PathRounds(loop::EventLoop& loop, PathCheck& check, std::function<double()> random, bool once,
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
  };

  void look_soon();
  void look_at_all();
  void begin();
  void done(const PathFaults& faults);

  loop::EventLoop& loop_;
  PathCheck& check_;
  std::function<double()> random_;
  bool once_;
  std::function<void()> on_looked_;
  std::map<inventory::NeededPath, Entry> entries_;
  std::set<inventory::NeededPath> to_look_at_;
  std::set<inventory::NeededPath> asked_;  ///< The running job.
  loop::Time began_{};
  loop::Subscription soon_;
  loop::Subscription next_;
  loop::Subscription run_;
};

}  // namespace patchbay::health
