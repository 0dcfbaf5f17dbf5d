#pragma once

#include <map>
#include <ranges>
#include <set>
#include <string>

#include "inventory/unit_checks.h"
#include "paths/path_follower.h"

namespace patchbay::health {

/// An object that needs host paths: see NeededPaths. Loop thread.
class PathUser {
 public:
  virtual ~PathUser() = default;
  /// Called when the fault of a path that this object needs has changed.
  virtual void paths_changed() = 0;
};

/// Checks the host paths that units need, and remembers the fault of each path. Loop thread.
class NeededPaths final : private paths::PathListener {
 public:
  /// `follower` outlives this.
  explicit NeededPaths(paths::PathFollower& follower) : follower_(follower) {}

  /// Starts checks of the path, unless it is already checked for another user.
  void need(const inventory::NeededPath& path, PathUser& user);
  /// Ends the checks for this user.
  void release(const inventory::NeededPath& path, PathUser& user);
  /// Checks the path soon, for example after an event.
  void refresh(const inventory::NeededPath& path) { follower_.refresh(path.path); }

  /// The fault of a needed path at its last check. Empty if there is none.
  [[nodiscard]] const std::string& fault(const inventory::NeededPath& path) const;
  /// Whether the fault is that the path leads to another device.
  [[nodiscard]] bool leads_to_other_device(const inventory::NeededPath& path) const;

 private:
  struct Needed {
    std::string fault;
    bool other_device = false;
    std::set<PathUser*> users;
  };

  using Range = std::ranges::subrange<std::map<inventory::NeededPath, Needed>::iterator>;

  /// The elements of needed_ with that path.
  [[nodiscard]] Range entries_of(const std::string& path);
  void path_state_changed(const std::string& path, const paths::PathState& state) override;

  paths::PathFollower& follower_;
  std::map<inventory::NeededPath, Needed> needed_;  ///< May have a path several times.
};

}  // namespace patchbay::health
