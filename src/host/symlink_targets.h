#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace patchbay::host {

/// The places that links on the way of paths lead through, which the paths do not tell as they are
/// written. Places are as we see them. Pure.
class SymlinkTargets {
 public:
  struct Change {
    bool any_added = false;               ///< A place, or a path at one.
    std::vector<std::string> released{};  ///< Places that the path led through before.
  };
  /// From now on the path leads through these alone.
  Change set(const std::string& path, std::set<std::string> targets);

  /// The paths that lead through the place.
  [[nodiscard]] std::set<std::string> paths_at(const std::string& target) const;
  /// Those that lead through something in it, at any depth; `directory` ends in a slash.
  [[nodiscard]] std::set<std::string> paths_below(const std::string& directory) const;
  [[nodiscard]] bool any_below(const std::string& directory) const;

 private:
  std::map<std::string, std::set<std::string>> targets_;  ///< By path.
  std::map<std::string, std::set<std::string>> paths_;    ///< By place.
};

}  // namespace patchbay::host
