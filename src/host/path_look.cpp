#include "host/path_look.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <utility>

namespace patchbay::host {
namespace {

using Kind = PathSeen::Kind;

PathFound find(const HostRoot& root, const PathQuery& query) {
  PathFound found;
  if (query.way) found.way = way_to(root, query.path, query.inside);
  if (const auto status = root.status(query.path)) {
    found.seen = {.kind = Kind::there, .mode = status->st_mode};
  } else if (errno == ENOENT || errno == ENOTDIR) {
    found.seen = {.kind = Kind::missing};
  } else {
    found.seen = {.kind = Kind::fault, .error = errno};
  }
  return found;
}

/// A list that is looked through, from its beginning or from after a path that hangs.
struct List {
  std::vector<PathQuery> queries;
  HostRoot root;
  std::vector<PathFound> found;  ///< Of the first `done` ones.
  std::atomic<size_t> done = 0;

  void go_on() {
    for (size_t i = 0; i < queries.size(); ++i) {
      found[i] = find(root, queries[i]);
      done.store(i + 1, std::memory_order_release);
    }
  }
};

/// By path, what hangs at it; null once it does not.
using Hanging = std::map<std::string, std::weak_ptr<const List>>;

/// One look, alive until it is told or given up.
class Run : public std::enable_shared_from_this<Run> {
 public:
  Run(loop::WorkThreads& threads, std::shared_ptr<Hanging> hanging, HostRoot root,
      loop::Milliseconds timeout, PathLook::Done done)
      : threads_(threads),
        hanging_(std::move(hanging)),
        root_(std::move(root)),
        timeout_(timeout),
        done_(std::move(done)) {}

  /// All in one job; what hangs there is left to it, and the rest is another job's.
  void look(std::vector<PathQuery> queries) {
    std::erase_if(*hanging_, [](const auto& entry) { return entry.second.expired(); });
    std::erase_if(queries, [&](const PathQuery& query) {
      const bool hangs = hanging_->contains(query.path);
      if (hangs) found_[query.path].seen.kind = Kind::no_answer;
      return hangs;
    });
    const auto list = std::make_shared<List>();
    list->queries = std::move(queries);
    list->root = root_;
    list->found.resize(list->queries.size());
    looking_ = threads_.run(
        "", timeout_, [list] { list->go_on(); },
        [weak = weak_from_this(), list](loop::WorkOutcome outcome) {
          if (const auto run = weak.lock()) run->looked(list, outcome);
        });
  }

  void give_up() {
    looking_.reset();
    done_ = nullptr;
  }

 private:
  void looked(const std::shared_ptr<List>& list, loop::WorkOutcome outcome) {
    const size_t known = list->done.load(std::memory_order_acquire);
    const auto& queries = list->queries;
    for (size_t i = 0; i < known; ++i) found_[queries[i].path] = std::move(list->found[i]);
    if (known < queries.size() && outcome == loop::WorkOutcome::timed_out) {
      const auto hung = queries.begin() + static_cast<std::ptrdiff_t>(known);
      (*hanging_)[hung->path] = list;
      return look({hung, queries.end()});
    }
    for (size_t i = known; i < queries.size(); ++i) {
      found_[queries[i].path].seen.kind = Kind::no_thread;
    }
    if (auto done = std::move(done_)) done(std::move(found_));
  }

  loop::WorkThreads& threads_;
  std::shared_ptr<Hanging> hanging_;
  HostRoot root_;
  loop::Milliseconds timeout_;
  PathLook::Done done_;
  PathsFound found_;
  loop::Subscription looking_;
};

class WorkThreadLook final : public PathLook {
 public:
  WorkThreadLook(loop::WorkThreads& threads, HostRoot root)
      : threads_(threads), root_(std::move(root)) {}

  loop::Subscription run(std::vector<PathQuery> queries, loop::Milliseconds timeout,
                         Done done) override {
    const auto run = std::make_shared<Run>(threads_, hanging_, root_, timeout, std::move(done));
    run->look(std::move(queries));
    return loop::Subscription([run] { run->give_up(); });
  }

 private:
  loop::WorkThreads& threads_;
  HostRoot root_;
  std::shared_ptr<Hanging> hanging_ = std::make_shared<Hanging>();
};

}  // namespace

std::unique_ptr<PathLook> PathLook::create(loop::WorkThreads& threads, HostRoot root) {
  return std::make_unique<WorkThreadLook>(threads, std::move(root));
}

}  // namespace patchbay::host
