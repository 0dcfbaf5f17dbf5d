#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/facts.h"
#include "host/glob_links.h"
#include "host/glob_pattern.h"
#include "host/hints.h"
#include "host/path_follower.h"
#include "loop/event_loop.h"
#include "loop/weak_self.h"
#include "loop/work_threads.h"

namespace patchbay::host {

/// The paths that `glob:` patterns find, by following the directories that they look into, which
/// may come and go. An entry's event is a hint for that path; a directory's, to list the pattern
/// again. A symbolic link is followed to its end. What a pattern finds beyond its limits is left
/// out; then nothing of it is followed, and it is listed at rescans. Each pattern is listed by
/// itself, on a work thread: one that waits for a file system holds up no other. Loop thread.
class GlobSource final : private PathListener {
 public:
  /// What has not been listed by then hangs.
  static constexpr loop::Milliseconds kTimeout{2000};
  /// So many patterns that look into one file system may hang; no more are listed there until one
  /// of them is.
  static constexpr size_t kMaxHungPerMount = 4;

  /// What is not followed by then is listed all the same.
  static constexpr loop::Milliseconds kFollowedFirst{100};
  /// Runs a job on a thread that it may hang in.
  using Run = std::function<loop::Subscription(loop::Task blocking, loop::WorkThreads::Callbacks)>;

  /// Without `paths`, which outlives this, the patterns are only listed.
  GlobSource(loop::EventLoop& loop, Run run, PathFollower* paths,
             const std::vector<std::string>& patterns, const HostRoot& root, Hints& hints);
  GlobSource(const GlobSource&) = delete;
  GlobSource& operator=(const GlobSource&) = delete;
  ~GlobSource() override;

  /// Follows, and lists; `listed` is called when everything found has been hinted, but for what
  /// Hints::pattern_responsiveness() has told of.
  void start(loop::Task listed);
  /// Lists all patterns again and looks at all they find.
  void rescan();
  /// Something was looked at, and whether a symbolic link stands there.
  void path_checked(const std::string& path, bool is_link);

  /// The patterns that find this path, if it exists.
  [[nodiscard]] FoundByList found_by(const std::string& path);

 private:
  /// What for a path is followed: index of a pattern, level in it; see PatternWatchPoint.
  using Use = std::pair<size_t, size_t>;
  /// What was found for one pattern.
  struct Listing {
    size_t pattern = 0;
    GlobFound found{};
    std::vector<PatternWatchPoint> watch_points{};
    int exhaustion_errno = 0;  ///< The errno of a want of room: the rest means nothing.
  };
  /// A pattern that is being listed.
  struct Job {
    Responsiveness responsiveness = Responsiveness::ok;
    std::string mount;  ///< Of one that is silent: see Mounts::unreliable_mount_of().
    loop::Subscription subscription;
  };

  void follow_first();
  void path_event(const std::string& path) override;
  void entry_event(const std::string& path, const loop::InotifyEvent& event) override;
  void list();
  void begin(size_t pattern);
  void ended(size_t pattern, loop::WorkOutcome outcome, Listing& listing);
  void apply(Listing listing);
  void refused(const Listing& listing);
  /// How many patterns are being listed and are not silent.
  [[nodiscard]] size_t listing() const;
  void set_responsiveness(size_t pattern, Responsiveness responsiveness);
  void report_responsiveness(size_t pattern, Responsiveness responsiveness);
  /// So much of the file system that it looks into hangs that it is not listed.
  [[nodiscard]] bool is_given_up(size_t pattern) const;
  /// Asked only when something does not answer.
  [[nodiscard]] std::string mount_of(size_t pattern) const;
  void follow(const Listing& listing);
  void report_truncation(const Listing& listing);
  void hint(Listing listing);
  [[nodiscard]] bool is_beyond_limit(size_t pattern, const std::string& path) const;
  [[nodiscard]] bool follows_link(const std::string& path) const;

  loop::EventLoop& loop_;
  Run run_;
  PathFollower* paths_;
  std::shared_ptr<const std::vector<GlobPattern>> patterns_;
  Hints& hints_;
  std::map<std::string, std::set<Use>> followed_;  ///< By path.
  std::set<size_t> dirty_;                         ///< Patterns to list.
  /// Patterns to list as soon as their first place is followed, so that it is done once.
  std::set<size_t> to_follow_;
  loop::Subscription wait_;  ///< For these.
  /// What found_by() has said, by the patterns: most paths are found by the same as many others.
  std::map<std::vector<size_t>, FoundByList> lists_;
  /// All that is told of the patterns that find more; sorted.
  std::map<size_t, std::vector<std::string>> truncated_;
  std::optional<GlobLinks> links_;  ///< None: nothing is followed.
  std::map<size_t, Job> jobs_;      ///< By pattern.
  /// Patterns that were not begun for what hangs: they are listed when some of that has ended.
  std::set<size_t> given_up_;
  loop::Task on_listed_;
  loop::WeakSelf<GlobSource> weak_self_{this};
};

}  // namespace patchbay::host
