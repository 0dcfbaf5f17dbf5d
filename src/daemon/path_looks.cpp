#include "daemon/path_looks.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/current_path.h"
#include "base/scoped_signal_block.h"
#include "base/text.h"
#include "host/nonblocking_stat.h"

namespace patchbay::daemon {
namespace {

using Clock = std::chrono::steady_clock;
using inventory::PathState;

PathState state_of(const std::string& path, const host::PathStatus& status) {
  return {.exists = status.has_value(), .node = host::node_number(path, status)};
}

Error no_answer_of(const std::string& path) { return {unresponsive_text(path)}; }

Error no_thread_for(const std::string& path) {
  return {"cannot look at " + printable(path, 500) +
          ": no thread is free: too much of what was begun hangs"};
}

/// Where a thread is.
struct Visit {
  std::string path;
  Clock::time_point since;
};

}  // namespace

/// With the threads. One that hangs keeps it alive.
struct PathLooks::Shared {
  explicit Shared(const host::HostRoot& root) : glance(root) {}

  /// Whether a thread is at one of these paths, and which, if it has been there for so long.
  [[nodiscard]] const Visit* find(const std::vector<std::string>& paths, Clock::duration least);
  void look(uint64_t id, const std::vector<std::string>& paths, const Looked& looked);

  host::NonblockingStat glance;
  std::mutex mutex;
  std::map<uint64_t, Visit> visits;  ///< A thread's each. Guarded by mutex, as the next.
  uint64_t next = 1;
};

const Visit* PathLooks::Shared::find(const std::vector<std::string>& paths, Clock::duration least) {
  const auto now = Clock::now();
  for (const auto& [id, visit] : visits) {
    if (now - visit.since >= least && std::ranges::find(paths, visit.path) != paths.end()) {
      return &visit;
    }
  }
  return nullptr;
}

void PathLooks::Shared::look(uint64_t id, const std::vector<std::string>& paths,
                             const Looked& looked) {
  inventory::PathStates states;
  for (const std::string& path : paths) {
    {
      const std::lock_guard lock(mutex);
      visits[id] = {.path = path, .since = Clock::now()};
    }
    states.emplace(path, state_of(path, glance.stat_blocking(path)));
  }
  {
    const std::lock_guard lock(mutex);
    visits.erase(id);
  }
  looked(std::move(states));
}

PathLooks::PathLooks(const host::HostRoot& root) : shared_(std::make_shared<Shared>(root)) {}

PathLooks::~PathLooks() = default;

std::optional<PathState> PathLooks::at_once(const std::string& path) {
  const auto status = shared_->glance.try_stat(path);
  return status ? std::optional(state_of(path, *status)) : std::nullopt;
}

void PathLooks::look(std::vector<std::string> paths, Looked looked) {
  std::optional<Error> fault;
  uint64_t id = 0;
  {
    const std::lock_guard lock(shared_->mutex);
    if (const Visit* hanging = shared_->find(paths, kHangs)) {
      fault = no_answer_of(hanging->path);
    } else if (shared_->visits.size() >= kMostThreads) {
      fault = no_thread_for(paths.front());
    } else {
      id = shared_->next++;
      shared_->visits[id] = {.path = paths.front(), .since = Clock::now()};
    }
  }
  if (fault) return looked(std::unexpected(*std::move(fault)));
  // Signals are for the loop's thread: what hangs here must not be asked to handle one.
  const ScopedSignalBlock signal_block;
  try {
    std::thread([shared = shared_, id, paths, looked] {
      shared->look(id, paths, looked);
    }).detach();
  } catch (const std::system_error&) {
    {
      const std::lock_guard lock(shared_->mutex);
      shared_->visits.erase(id);
    }
    looked(std::unexpected(no_thread_for(paths.front())));
  }
}

Error PathLooks::lateness(const std::vector<std::string>& paths) {
  const std::lock_guard lock(shared_->mutex);
  const Visit* visit = shared_->find(paths, Clock::duration::zero());
  return no_answer_of(visit != nullptr ? visit->path : paths.front());
}

}  // namespace patchbay::daemon
