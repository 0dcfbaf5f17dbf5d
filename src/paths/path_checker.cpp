#include "paths/path_checker.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
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

void check_batch(List& list, const HostRoot& root, NonblockingStat* stat) {
  const auto end = std::chrono::steady_clock::now() + loop::kSlowAfter;
  bool first = true;
  list.run([&](const PathQuery& query) -> std::optional<PathResult> {
    if (!std::exchange(first, false) && std::chrono::steady_clock::now() > end) return std::nullopt;
    PathResult found = find(root, query);
    if (stat != nullptr && found.state.kind == Kind::exists) stat->learn(query.path);
    return found;
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

/// State of a PathChecker, shared by its checks.
struct Shared {
  loop::WorkQueue& queue;
  HostRoot root;
  std::shared_ptr<NonblockingStat> stat;
  Hanging hanging{};
};

/// One check, alive until all results are reported or it is cancelled. It begins with one job. If
/// that one waits for a path, further jobs continue with the rest, one for each file system.
class Run : public std::enable_shared_from_this<Run> {
 public:
  Run(std::shared_ptr<Shared> shared, loop::Milliseconds timeout, PathChecker::Found found)
      : shared_(std::move(shared)),
        timeout_(timeout),
        report_(std::make_shared<PathChecker::Found>(std::move(found))) {}

  /// `mount`: the mount of all these paths. Empty if it was not looked up.
  void begin(std::vector<PathQuery> queries, const std::string& mount) {
    std::erase_if(shared_->hanging, [](const auto& entry) { return entry.second.list.expired(); });
    std::erase_if(queries, [&](const PathQuery& query) {
      const bool hangs = shared_->hanging.contains(query.path) ||
                         is_given_up(shared_->root.local_path(query.path));
      if (hangs) known_[query.path].state.kind = Kind::unresponsive;
      return hangs;
    });
    const uint64_t number = next_job_++;
    Job& job = jobs_[number];
    job.list = std::make_shared<List>(std::move(queries));
    job.mount = mount;
    job.subscription =
        shared_->queue.run("", timeout_,
                           [list = job.list, root = shared_->root, stat = shared_->stat] {
                             check_batch(*list, root, stat.get());
                           },
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
    loop::Subscription subscription;
  };
  /// Whether too many paths hang on that mount already.
  [[nodiscard]] bool is_given_up(const std::string& path) const {
    std::map<std::string, size_t> count;
    for (const auto& [hung, stuck] : shared_->hanging) {
      if (stuck.mount.empty() || !is_below(path, stuck.mount)) continue;
      if (++count[stuck.mount] == loop::kMaxHungPerMount) return true;
    }
    return false;
  }

  /// Splits the rest of the first job into the paths on the file system for which it waits, and
  /// those on others.
  void became_slow(uint64_t number) {
    Job& job = jobs_.at(number);
    if (!job.mount.empty()) return;        // The others of its mount wait for it.
    const Mounts mounts = Mounts::read();  // Reads the kernel's memory, only after a path hangs.
    const auto mount_of = [&](const PathQuery& query) {
      return mounts.unreliable_mount_of(shared_->root.local_path(query.path));
    };
    std::map<std::string, std::vector<PathQuery>> by_mount;
    for (PathQuery& query : job.list->steal_rest()) {
      by_mount[mount_of(query)].push_back(std::move(query));
    }
    PathResults results = take_results(*job.list);
    if (const auto stuck = job.list->current()) job.mount = mount_of(*stuck);
    for (auto& [mount, queries] : by_mount) begin(std::move(queries), mount);
    report(std::move(results));
  }

  void ended(uint64_t number, loop::WorkOutcome outcome) {
    const Job& job = jobs_.at(number);
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
      shared_->hanging[stuck->path] = {.list = job.list, .mount = mount};
    } else {
      jobs_.erase(number);
    }
    if (!rest.empty()) begin(std::move(rest), mount);
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

  std::shared_ptr<Shared> shared_;
  loop::Milliseconds timeout_;
  std::shared_ptr<PathChecker::Found> report_;  ///< Null: cancelled.
  PathResults known_;                           ///< Results without a check, not reported yet.
  uint64_t next_job_ = 1;
  std::map<uint64_t, Job> jobs_;
};

class QueuedPathChecker final : public PathChecker {
 public:
  explicit QueuedPathChecker(Shared shared)
      : shared_(std::make_shared<Shared>(std::move(shared))) {}

  loop::Subscription run(std::vector<PathQuery> queries, loop::Milliseconds timeout,
                         Found found) override {
    const auto run = std::make_shared<Run>(shared_, timeout, std::move(found));
    run->begin(std::move(queries), {});
    return loop::Subscription([run] { run->give_up(); });
  }

 private:
  std::shared_ptr<Shared> shared_;
};

}  // namespace

std::unique_ptr<PathChecker> PathChecker::create(loop::WorkQueue& queue, HostRoot root,
                                                 std::shared_ptr<NonblockingStat> stat) {
  return std::make_unique<QueuedPathChecker>(
      Shared{.queue = queue, .root = std::move(root), .stat = std::move(stat)});
}

}  // namespace patchbay::paths
