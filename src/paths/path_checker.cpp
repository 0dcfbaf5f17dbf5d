#include "paths/path_checker.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "paths/mounts.h"
#include "paths/resource_exhaustion.h"
#include "paths/stealable_batch.h"

namespace patchbay::paths {
namespace {

using Kind = PathState::Kind;

PathResult find(const HostRoot& root, const PathQuery& query) {
  const ResourceExhaustion exhaustion;
  PathResult found;
  if (query.chain) found.chain = path_chain(root, query.path, query.inside);
  if (const auto status = root.status(query.path)) {
    const bool is_node = S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode);
    found.state = {
        .kind = Kind::exists, .mode = status->st_mode, .number = is_node ? status->st_rdev : 0};
  } else if (errno == ENOENT || errno == ENOTDIR) {
    found.state = {.kind = Kind::missing};
  } else {
    found.state = {.kind = Kind::fault, .error = errno};
  }
  found.exhausted = exhaustion.error() != 0;
  return found;
}

/// The paths of one job.
using List = StealableBatch<PathQuery, PathResult>;

void check_batch(List& list, const HostRoot& root) {
  const auto end = std::chrono::steady_clock::now() + loop::kSlowAfter;
  bool first = true;
  list.run([&](const PathQuery& query) -> std::optional<PathResult> {
    if (!std::exchange(first, false) && std::chrono::steady_clock::now() > end) return std::nullopt;
    return find(root, query);
  });
}

PathResults take_results(List& list) {
  PathResults results;
  for (auto& [query, found] : list.take_results()) results[query.path] = std::move(found);
  return results;
}

/// An unresponsive path.
struct Stuck {
  std::weak_ptr<List> list;  ///< Expired once the path answers.
  std::string mount;         ///< See Mounts::unreliable_mount_of(); empty if it was not looked up.
};
/// By path.
using Hanging = std::map<std::string, Stuck>;

bool is_below(const std::string& path, const std::string& directory) {
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

/// One check, alive until all results are reported or it is cancelled. A job keeps the path for
/// which it waits. Other jobs continue with the rest, by file system.
class Run : public std::enable_shared_from_this<Run> {
 public:
  Run(loop::WorkQueue& queue, std::shared_ptr<Hanging> hanging, HostRoot root,
      loop::Milliseconds timeout, PathChecker::Found found)
      : queue_(queue),
        hanging_(std::move(hanging)),
        root_(std::move(root)),
        timeout_(timeout),
        report_(std::make_shared<PathChecker::Found>(std::move(found))) {}

  /// `mount`: the mount of all these paths. Empty if it was not looked up.
  void begin(std::vector<PathQuery> queries, const std::string& mount) {
    std::erase_if(*hanging_, [](const auto& entry) { return entry.second.list.expired(); });
    std::erase_if(queries, [&](const PathQuery& query) {
      const bool hangs =
          hanging_->contains(query.path) || is_given_up(root_.local_path(query.path));
      if (hangs) known_[query.path].state.kind = Kind::unresponsive;
      return hangs;
    });
    const uint64_t number = next_job_++;
    Job& job = jobs_[number];
    job.list = std::make_shared<List>(std::move(queries));
    job.mount = mount;
    job.subscription =
        queue_.run("", timeout_, [list = job.list, root = root_] { check_batch(*list, root); },
                   {.done =
                        [weak = weak_from_this(), number](loop::WorkOutcome outcome) {
                          if (const auto run = weak.lock()) run->ended(number, outcome);
                        },
                    .became_slow =
                        [weak = weak_from_this(), number] {
                          if (const auto run = weak.lock()) run->became_slow(number);
                        },
                    .ended_late =
                        [weak = weak_from_this(), number] {
                          if (const auto run = weak.lock()) run->ended_late(number);
                        }});
  }

  void give_up() {
    jobs_.clear();
    report_.reset();
  }

 private:
  struct Job {
    std::shared_ptr<List> list;
    std::string mount;
    bool hangs = false;
    loop::Subscription subscription;
  };
  /// Whether too many paths hang on that mount already.
  [[nodiscard]] bool is_given_up(const std::string& path) const {
    std::map<std::string, size_t> count;
    for (const auto& [hung, stuck] : *hanging_) {
      if (stuck.mount.empty() || !is_below(path, stuck.mount)) continue;
      if (++count[stuck.mount] == loop::kMaxHungPerMount) return true;
    }
    return false;
  }

  void became_slow(uint64_t number) {
    Job& job = jobs_.at(number);
    auto rest = job.list->steal_rest();
    PathResults results = take_results(*job.list);
    if (job.mount.empty()) {
      split_by_mount(job, std::move(rest));
    } else {
      check_on_mount(job.mount, std::move(rest));
    }
    report(std::move(results));
  }

  /// Splits the rest of a job into the paths on the file system for which it waits, and those on
  /// others.
  void split_by_mount(Job& job, std::vector<PathQuery> rest) {
    const Mounts mounts = Mounts::read();  // Reads the kernel's memory, only after a path hangs.
    if (const auto stuck = job.list->current()) {
      job.mount = mounts.unreliable_mount_of(root_.local_path(stuck->path));
    }
    std::map<std::string, std::vector<PathQuery>> by_mount;
    for (PathQuery& query : rest) {
      by_mount[mounts.unreliable_mount_of(root_.local_path(query.path))].push_back(
          std::move(query));
    }
    for (auto& [mount, queries] : by_mount) {
      mount.empty() ? begin(std::move(queries), mount) : check_on_mount(mount, std::move(queries));
    }
  }

  void check_on_mount(const std::string& mount, std::vector<PathQuery> queries) {
    auto& waiting = waiting_[mount];
    std::ranges::move(queries, std::back_inserter(waiting));
    const auto at_work = static_cast<size_t>(std::ranges::count_if(
        jobs_, [&](const auto& job) { return job.second.mount == mount && !job.second.hangs; }));
    const auto hanging = static_cast<size_t>(std::ranges::count_if(
        *hanging_, [&](const auto& entry) { return entry.second.mount == mount; }));
    size_t free = loop::kMaxHungPerMount - std::min(loop::kMaxHungPerMount, at_work + hanging);
    if (free == 0 && at_work == 0) free = 1;  // A job that reports the rest as unresponsive.
    for (; free > 0 && !waiting.empty(); --free) {
      const auto size = static_cast<std::ptrdiff_t>((waiting.size() + free - 1) / free);
      const auto from = waiting.end() - size;
      std::vector<PathQuery> chunk(std::make_move_iterator(from),
                                   std::make_move_iterator(waiting.end()));
      waiting.erase(from, waiting.end());
      begin(std::move(chunk), mount);
    }
  }

  void ended(uint64_t number, loop::WorkOutcome outcome) {
    Job& job = jobs_.at(number);
    const std::string mount = job.mount;
    auto rest = job.list->steal_rest();
    PathResults results = take_results(*job.list);
    const auto stuck = job.list->current();
    if (outcome == loop::WorkOutcome::no_thread) {
      for (const PathQuery& query : rest) results[query.path].state.kind = Kind::no_thread;
      rest.clear();
    }
    if (outcome == loop::WorkOutcome::timed_out && stuck) {
      results[stuck->path] = {.state = {.kind = Kind::unresponsive}, .reported_again = true};
      (*hanging_)[stuck->path] = {.list = job.list, .mount = mount};
      job.hangs = true;
    } else {
      jobs_.erase(number);
    }
    if (!rest.empty()) begin(std::move(rest), mount);
    if (!mount.empty()) check_on_mount(mount, {});
    report(std::move(results));
  }

  void ended_late(uint64_t number) {
    const auto job = jobs_.extract(number);
    if (job) report(take_results(*job.mapped().list));
  }

  /// Must be the last statement of a caller: the receiver may cancel this check.
  void report(PathResults results) {
    results.merge(std::exchange(known_, {}));
    if (results.empty()) return;
    const auto report = report_;
    if (report) (*report)(std::move(results));
  }

  loop::WorkQueue& queue_;
  std::shared_ptr<Hanging> hanging_;
  HostRoot root_;
  loop::Milliseconds timeout_;
  std::shared_ptr<PathChecker::Found> report_;  ///< Null: cancelled.
  PathResults known_;                           ///< Results without a check, not reported yet.
  uint64_t next_job_ = 1;
  std::map<uint64_t, Job> jobs_;
  std::map<std::string, std::vector<PathQuery>> waiting_;  ///< By unreliable mount.
};

class ThreadedPathChecker final : public PathChecker {
 public:
  ThreadedPathChecker(loop::WorkQueue& queue, HostRoot root)
      : queue_(queue), root_(std::move(root)) {}

  loop::Subscription run(std::vector<PathQuery> queries, loop::Milliseconds timeout,
                         Found found) override {
    const auto run = std::make_shared<Run>(queue_, hanging_, root_, timeout, std::move(found));
    run->begin(std::move(queries), {});
    return loop::Subscription([run] { run->give_up(); });
  }

 private:
  loop::WorkQueue& queue_;
  HostRoot root_;
  std::shared_ptr<Hanging> hanging_ = std::make_shared<Hanging>();
};

}  // namespace

std::unique_ptr<PathChecker> PathChecker::create(loop::WorkQueue& queue, HostRoot root) {
  return std::make_unique<ThreadedPathChecker>(queue, std::move(root));
}

}  // namespace patchbay::paths
