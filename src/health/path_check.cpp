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
std::string fault_of(const NeededPath& needed, const std::string& root) {
  struct stat status {};
  if (::stat(host_path(root, needed.path).c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return "does not exist";
    return fail_errno("cannot be looked at", errno).error().message;
  }
  if (!needed.device_node || S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) return {};
  return "is " + type_text(status.st_mode) + ", not a device node";
}

/// A list that is looked through, from its beginning or from after a path that hangs.
struct Look {
  std::vector<NeededPath> paths;
  std::string root;
  std::vector<std::string> faults;  ///< Of the first `done` ones.
  std::atomic<size_t> done = 0;

  void go_on() {
    for (size_t i = 0; i < paths.size(); ++i) {
      faults[i] = fault_of(paths[i], root);
      done.store(i + 1, std::memory_order_release);
    }
  }
};

/// By path, what hangs at it; null once it does not.
using Hanging = std::map<std::string, std::weak_ptr<const Look>>;

/// One check, alive until it is told or given up.
class PathRun : public std::enable_shared_from_this<PathRun> {
 public:
  PathRun(loop::WorkThreads& threads, std::shared_ptr<Hanging> hanging, std::string root,
          loop::Milliseconds timeout, PathCheck::Done done)
      : threads_(threads),
        hanging_(std::move(hanging)),
        root_(std::move(root)),
        timeout_(timeout),
        done_(std::move(done)) {}

  /// All in one job; what hangs there is left to it, and the rest is another job's.
  void look(std::vector<NeededPath> paths) {
    std::erase_if(*hanging_, [](const auto& entry) { return entry.second.expired(); });
    std::erase_if(paths, [&](const NeededPath& needed) {
      const bool hangs = hanging_->contains(needed.path);
      if (hangs) faults_.emplace(needed.path, no_answer(timeout_));
      return hangs;
    });
    const auto look = std::make_shared<Look>();
    look->paths = std::move(paths);
    look->root = root_;
    look->faults.resize(look->paths.size());
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
  void looked(const std::shared_ptr<const Look>& look, loop::WorkOutcome outcome) {
    const size_t known = look->done.load(std::memory_order_acquire);
    for (size_t i = 0; i < known; ++i) {
      if (!look->faults[i].empty()) faults_.emplace(look->paths[i].path, look->faults[i]);
    }
    if (known < look->paths.size() && outcome == loop::WorkOutcome::timed_out) {
      const auto hung = look->paths.begin() + static_cast<std::ptrdiff_t>(known);
      (*hanging_)[hung->path] = look;
      this->look({hung, look->paths.end()});
      return;
    }
    for (size_t i = known; i < look->paths.size(); ++i) {
      faults_.emplace(look->paths[i].path, std::string("cannot be looked at: ") + kNoThread);
    }
    if (auto done = std::move(done_)) done(std::move(faults_));
  }

  loop::WorkThreads& threads_;
  std::shared_ptr<Hanging> hanging_;
  std::string root_;
  loop::Milliseconds timeout_;
  PathCheck::Done done_;
  PathFaults faults_;
  loop::Subscription looking_;
};

class Checker final : public PathCheck {
 public:
  Checker(loop::WorkThreads& threads, std::string root)
      : threads_(threads), root_(std::move(root)) {}

  loop::Subscription run(std::vector<NeededPath> paths, loop::Milliseconds timeout,
                         Done done) override {
    const auto run = std::make_shared<PathRun>(threads_, hanging_, root_, timeout, std::move(done));
    run->look(std::move(paths));
    return loop::Subscription([run] { run->give_up(); });
  }

 private:
  loop::WorkThreads& threads_;
  std::string root_;
  std::shared_ptr<Hanging> hanging_ = std::make_shared<Hanging>();
};

}  // namespace

std::unique_ptr<PathCheck> PathCheck::create(loop::WorkThreads& threads, std::string root) {
  return std::make_unique<Checker>(threads, std::move(root));
}

}  // namespace patchbay::health
