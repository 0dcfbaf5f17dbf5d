#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/facts.h"
#include "host/glob_pattern.h"
#include "host/hints.h"
#include "host/path_follower.h"
#include "loop/alive.h"
#include "loop/event_loop.h"

namespace patchbay::host {

/// The paths that `glob:` patterns find, by following the directories that they look into, which
/// may come and go. An entry's event is a hint for that path; a directory's, to list the pattern
/// again. What a pattern finds beyond its limits is left out; then nothing of it is followed, and
/// it is listed at rescans. Loop thread; listing is done in the pool.
class GlobSource final : private PathListener {
 public:
  /// Without `paths`, which outlives this, the patterns are only listed.
  GlobSource(loop::EventLoop& loop, PathFollower* paths, const std::vector<std::string>& patterns,
             const HostRoot& root, Hints& hints);
  GlobSource(const GlobSource&) = delete;
  GlobSource& operator=(const GlobSource&) = delete;
  ~GlobSource() override;

  /// Follows, and lists; `listed` is called when everything found has been hinted.
  void start(loop::Task listed);
  /// Lists all patterns again and looks at all they find.
  void rescan();

  /// The patterns that find this path, if it exists.
  [[nodiscard]] std::vector<FoundBy> found_by(const std::string& path) const;

 private:
  /// What for a path is followed: index of a pattern, level in it; see PatternPlace.
  using Use = std::pair<size_t, size_t>;
  /// What the pool found for one pattern.
  struct Listing {
    size_t pattern = 0;
    GlobFound found{};
    std::vector<PatternPlace> places{};
  };

  void path_event(const std::string& path) override;
  void entry_event(const std::string& path, const loop::InotifyEvent& event) override;
  void list();
  void apply(std::vector<Listing> listings);
  void follow(const Listing& listing);
  void note_cut(const Listing& listing);
  void hint(Listing listing);

  loop::EventLoop& loop_;
  PathFollower* paths_;
  std::shared_ptr<const std::vector<GlobPattern>> patterns_;
  Hints& hints_;
  std::map<std::string, std::set<Use>> followed_;  ///< By path.
  std::set<size_t> dirty_;                         ///< Patterns to list again.
  /// All that is told of the patterns that find more; sorted.
  std::map<size_t, std::vector<std::string>> cut_;
  bool listing_ = false;
  loop::Task listed_;
  loop::Alive<GlobSource> alive_{this};
};

}  // namespace patchbay::host
