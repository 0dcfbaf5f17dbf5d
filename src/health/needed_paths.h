#pragma once

#include <map>
#include <ranges>
#include <set>
#include <string>

#include "inventory/unit_checks.h"
#include "paths/path_follower.h"

namespace patchbay::health {

/// A user of host paths. Loop thread.
class PathUser {
 public:
  virtual ~PathUser() = default;
  /// The fault of one of its paths changed.
  virtual void paths_changed() = 0;
};

/// Knows the faults of the paths that units need. Loop thread.
class NeededPaths final : private paths::PathListener {
 public:
  /// `follower` outlives this.
  explicit NeededPaths(paths::PathFollower& follower) : follower_(follower) {}

  /// Checks the path from now on; soon for the first time, if no other user needs it.
  void need(const inventory::NeededPath& path, PathUser& user);
  void release(const inventory::NeededPath& path, PathUser& user);
  /// Checks the path soon, after an event.
  void refresh(const inventory::NeededPath& path) { follower_.refresh(path.path); }

  /// The fault of a needed path at its last check. Empty: none.
  [[nodiscard]] const std::string& fault(const inventory::NeededPath& path) const;
  /// Whether the fault is that the path leads to another device. Then the facts of the unit's
  /// device may be out of date.
  [[nodiscard]] bool leads_to_other_device(const inventory::NeededPath& path) const;

 private:
  struct Needed {
    std::string fault;
    bool other_device = false;
    std::set<PathUser*> users;
  };

  using Range = std::ranges::subrange<std::map<inventory::NeededPath, Needed>::iterator>;

  /// All needs of one path.
  [[nodiscard]] Range entries_of(const std::string& path);
  void path_state_changed(const std::string& path, const paths::PathState& state) override;

  paths::PathFollower& follower_;
  std::map<inventory::NeededPath, Needed> needed_;  ///< A path may be needed in several ways.
};

}  // namespace patchbay::health
