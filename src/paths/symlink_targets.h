#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace patchbay::paths {

/// Maps followed paths to the link targets they lead through, which the paths do not contain
/// literally. Targets are local paths. Pure.
class SymlinkTargets {
 public:
  struct Change {
    bool any_added = false;               ///< The path has a new target.
    std::vector<std::string> released{};  ///< Targets through which the path led before.
  };
  /// Replaces the targets of the path.
  Change set(const std::string& path, std::set<std::string> targets);

  /// The paths that lead through the target.
  [[nodiscard]] std::set<std::string> paths_at(const std::string& target) const;
  /// The paths that lead through anything below `directory`, which ends in a slash.
  [[nodiscard]] std::set<std::string> paths_below(const std::string& directory) const;
  [[nodiscard]] bool any_below(const std::string& directory) const;

 private:
  std::map<std::string, std::set<std::string>> targets_;  ///< By path.
  std::map<std::string, std::set<std::string>> paths_;    ///< By target.
};

}  // namespace patchbay::paths
