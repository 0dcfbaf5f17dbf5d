#include "daemon/threaded_path_checker.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "base/current_path.h"
#include "base/text.h"
#include "paths/nonblocking_stat.h"

namespace patchbay::daemon {
namespace {

using Clock = std::chrono::steady_clock;
using inventory::PathState;

PathState state_of(const std::string& path, const paths::PathStatus& status) {
  return {.exists = status.has_value(), .node = paths::node_number(path, status)};
}

Error no_answer_error(const std::string& path) { return {unresponsive_text(path)}; }

Error no_thread_error(const std::string& path) {
  return {"cannot check " + printable(path, 500) + ": " + kNoThreadText};
}

/// A stat call that a thread is in.
struct ActiveStat {
  std::string path;
  Clock::time_point since;
};

}  // namespace

/// Shared with the threads: a hung one keeps it alive.
struct ThreadedPathChecker::Shared {
  explicit Shared(const paths::HostRoot& root) : nonblocking_stat(root) {}

  /// Returns a call in progress for one of these paths that has lasted at least `least`; else null.
  [[nodiscard]] const ActiveStat* find(const std::vector<std::string>& paths,
                                       Clock::duration least);
  void run(uint64_t id, const std::vector<std::string>& paths, const PathsChecked& done);

  paths::NonblockingStat nonblocking_stat;
  std::mutex mutex;
  std::map<uint64_t, ActiveStat> active;  ///< By thread; mutex guards this and `next`.
  uint64_t next = 1;
};

const ActiveStat* ThreadedPathChecker::Shared::find(const std::vector<std::string>& paths,
                                                    Clock::duration least) {
  const auto now = Clock::now();
  for (const auto& [id, stat_call] : active) {
    if (now - stat_call.since >= least && std::ranges::find(paths, stat_call.path) != paths.end()) {
      return &stat_call;
    }
  }
  return nullptr;
}

void ThreadedPathChecker::Shared::run(uint64_t id, const std::vector<std::string>& paths,
                                      const PathsChecked& done) {
  inventory::PathStates states;
  for (const std::string& path : paths) {
    {
      const std::lock_guard lock(mutex);
      active[id] = {.path = path, .since = Clock::now()};
    }
    states.emplace(path, state_of(path, nonblocking_stat.stat_blocking(path)));
  }
  {
    const std::lock_guard lock(mutex);
    active.erase(id);
  }
  done(std::move(states));
}

ThreadedPathChecker::ThreadedPathChecker(loop::Executor executor, const paths::HostRoot& root)
    : executor_(std::move(executor)), shared_(std::make_shared<Shared>(root)) {}

ThreadedPathChecker::~ThreadedPathChecker() = default;

std::optional<PathState> ThreadedPathChecker::try_cached(const std::string& path) {
  const auto status = shared_->nonblocking_stat.try_stat(path);
  return status ? std::optional(state_of(path, *status)) : std::nullopt;
}

void ThreadedPathChecker::check(std::vector<std::string> paths, PathsChecked done) {
  std::optional<Error> error;
  uint64_t id = 0;
  {
    const std::lock_guard lock(shared_->mutex);
    if (const ActiveStat* hung = shared_->find(paths, loop::kHungAfter)) {
      error = no_answer_error(hung->path);
    } else if (shared_->active.size() >= loop::kMaxHung) {
      error = no_thread_error(paths.front());
    } else {
      id = shared_->next++;
      shared_->active[id] = {.path = paths.front(), .since = Clock::now()};
    }
  }
  if (error) return done(std::unexpected(*std::move(error)));
  loop::Task task = [shared = shared_, id, paths, done] { shared->run(id, paths, done); };
  if (executor_.start(task)) return;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->active.erase(id);
  }
  done(std::unexpected(no_thread_error(paths.front())));
}

Error ThreadedPathChecker::timeout_error(const std::vector<std::string>& paths) {
  const std::lock_guard lock(shared_->mutex);
  const ActiveStat* stat_call = shared_->find(paths, Clock::duration::zero());
  return no_answer_error(stat_call != nullptr ? stat_call->path : paths.front());
}

}  // namespace patchbay::daemon
