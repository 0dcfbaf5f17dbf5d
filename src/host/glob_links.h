#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "host/hints.h"
#include "host/path_follower.h"

namespace patchbay::host {

/// The symbolic links that `glob:` patterns find. What is at such a path comes, goes and becomes
/// something else far from where the pattern looks, so each of them is followed to its end, also
/// one that leads nowhere by now. Loop thread.
class GlobLinks final : private PathListener {
 public:
  /// Both outlive this.
  GlobLinks(PathFollower& paths, Hints& hints) : paths_(paths), hints_(hints) {}
  GlobLinks(const GlobLinks&) = delete;
  GlobLinks& operator=(const GlobLinks&) = delete;
  ~GlobLinks() override;

  /// The path was looked at. True: a link stood there, so it is followed from now on; if it was
  /// not, it is hinted when it is, for what happened meanwhile.
  void path_checked(const std::string& path, bool is_link);
  [[nodiscard]] size_t size() const { return links_.size(); }
  /// Those that are followed below a directory.
  [[nodiscard]] std::vector<std::string> below(const std::string& directory) const;

 private:
  void path_event(const std::string& path) override { hints_.refresh(path); }

  PathFollower& paths_;
  Hints& hints_;
  std::set<std::string> links_;
};

}  // namespace patchbay::host
