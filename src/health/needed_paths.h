#pragma once

#include <map>
#include <ranges>
#include <set>
#include <string>

#include "host/path_follower.h"
#include "inventory/unit_checks.h"

namespace patchbay::health {

/// Needs paths of the host. Loop thread.
class PathUser {
 public:
  virtual ~PathUser() = default;
  /// What is wrong with one of its paths is something else now.
  virtual void paths_changed() = 0;
};

/// Knows what is wrong with the paths that units need. Loop thread.
class NeededPaths final : private host::PathListener {
 public:
  /// `follower` outlives this.
  explicit NeededPaths(host::PathFollower& follower) : follower_(follower) {}

  /// Looks at the path from now on; soon for the first time, if nobody needed it before.
  void need(const inventory::NeededPath& path, PathUser& user);
  void release(const inventory::NeededPath& path, PathUser& user);
  /// Something happened to it: looks soon.
  void refresh(const inventory::NeededPath& path) { follower_.refresh(path.path); }

  /// What was wrong with a needed path when it was last looked at; empty: nothing.
  [[nodiscard]] const std::string& fault(const inventory::NeededPath& path) const;
  /// Whether that is that another device is there: what is known of the unit's may be out of date.
  [[nodiscard]] bool leads_to_other_device(const inventory::NeededPath& path) const;

 private:
  struct Needed {
    std::string fault;
    bool other_device = false;
    std::set<PathUser*> users;
  };

  using Range = std::ranges::subrange<std::map<inventory::NeededPath, Needed>::iterator>;

  /// All that is needed of one path.
  [[nodiscard]] Range entries_of(const std::string& path);
  void path_state_changed(const std::string& path, const host::PathState& state) override;

  host::PathFollower& follower_;
  std::map<inventory::NeededPath, Needed> needed_;  ///< One path may be needed in several ways.
};

}  // namespace patchbay::health
