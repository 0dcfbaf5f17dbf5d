#include "health/path_check.h"

#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "base/result.h"
#include "health/program.h"

namespace patchbay::health {
namespace {

using inventory::NeededPath;

std::string type_text(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISREG(mode)) return "a file";
  if (S_ISSOCK(mode)) return "a socket";
  return "something else";
}

/// Empty: it is as it must be.
std::string fault_of(const NeededPath& needed, const host::HostRoot& root) {
  const auto status = root.status(needed.path);
  if (!status) {
    if (errno == ENOENT || errno == ENOTDIR) return "does not exist";
    return fail_errno("cannot be looked at", errno).error().message;
  }
  if (!needed.device_node || S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode)) return {};
  return "is " + type_text(status->st_mode) + ", not a device node";
}

/// A list that is looked through, from its beginning or from after a path that hangs.
struct Look {
  struct Found {
    std::string fault;
    std::vector<host::FilePlace> way;
  };
  std::vector<PathQuery> queries;
  host::HostRoot root;
  std::vector<Found> found;  ///< Of the first `done` ones.
  std::atomic<size_t> done = 0;

  void go_on() {
    for (size_t i = 0; i < queries.size(); ++i) {
      found[i].fault = fault_of(queries[i].needed, root);
      if (queries[i].way) found[i].way = host::way_to(root, queries[i].needed.path);
      done.store(i + 1, std::memory_order_release);
    }
  }
};

/// By path, what hangs at it; null once it does not.
using Hanging = std::map<std::string, std::weak_ptr<const Look>>;

/// One check, alive until it is told or given up.
class PathRun : public std::enable_shared_from_this<PathRun> {
 public:
  PathRun(loop::WorkThreads& threads, std::shared_ptr<Hanging> hanging, host::HostRoot root,
          loop::Milliseconds timeout, PathCheck::Done done)
      : threads_(threads),
        hanging_(std::move(hanging)),
        root_(std::move(root)),
        timeout_(timeout),
        done_(std::move(done)) {}

  /// All in one job; what hangs there is left to it, and the rest is another job's.
  void look(std::vector<PathQuery> queries) {
    std::erase_if(*hanging_, [](const auto& entry) { return entry.second.expired(); });
    std::erase_if(queries, [&](const PathQuery& query) {
      const bool hangs = hanging_->contains(query.needed.path);
      if (hangs) seen_.faults.emplace(query.needed.path, no_answer(timeout_));
      return hangs;
    });
    const auto look = std::make_shared<Look>();
    look->queries = std::move(queries);
    look->root = root_;
    look->found.resize(look->queries.size());
    looking_ = threads_.run(
        "", timeout_, [look] { look->go_on(); },
        [weak = weak_from_this(), look](loop::WorkOutcome outcome) {
          if (const auto run = weak.lock()) run->looked(look, outcome);
        });
  }

  void give_up() {
    looking_.reset();
    done_ = nullptr;
  }

 private:
  void looked(const std::shared_ptr<Look>& look, loop::WorkOutcome outcome) {
    const size_t known = look->done.load(std::memory_order_acquire);
    for (size_t i = 0; i < known; ++i) take(look->queries[i], look->found[i]);
    if (known < look->queries.size() && outcome == loop::WorkOutcome::timed_out) {
      const auto hung = look->queries.begin() + static_cast<std::ptrdiff_t>(known);
      (*hanging_)[hung->needed.path] = look;
      this->look({hung, look->queries.end()});
      return;
    }
    for (size_t i = known; i < look->queries.size(); ++i) {
      seen_.faults.emplace(look->queries[i].needed.path,
                           std::string("cannot be looked at: ") + kNoThread);
    }
    if (auto done = std::move(done_)) done(std::move(seen_));
  }

  void take(const PathQuery& query, Look::Found& found) {
    if (!found.fault.empty()) seen_.faults.emplace(query.needed.path, std::move(found.fault));
    if (query.way) seen_.ways.emplace(query.needed.path, std::move(found.way));
  }

  loop::WorkThreads& threads_;
  std::shared_ptr<Hanging> hanging_;
  host::HostRoot root_;
  loop::Milliseconds timeout_;
  PathCheck::Done done_;
  PathsSeen seen_;
  loop::Subscription looking_;
};

class Checker final : public PathCheck {
 public:
  Checker(loop::WorkThreads& threads, host::HostRoot root)
      : threads_(threads), root_(std::move(root)) {}

  loop::Subscription run(std::vector<PathQuery> queries, loop::Milliseconds timeout,
                         Done done) override {
    const auto run = std::make_shared<PathRun>(threads_, hanging_, root_, timeout, std::move(done));
    run->look(std::move(queries));
    return loop::Subscription([run] { run->give_up(); });
  }

 private:
  loop::WorkThreads& threads_;
  host::HostRoot root_;
  std::shared_ptr<Hanging> hanging_ = std::make_shared<Hanging>();
};

}  // namespace

std::unique_ptr<PathCheck> PathCheck::create(loop::WorkThreads& threads, host::HostRoot root) {
  return std::make_unique<Checker>(threads, std::move(root));
}

}  // namespace patchbay::health
