#include "health/path_wait.h"

#include <memory>
#include <utility>
#include <vector>

#include "host/host_files.h"

namespace patchbay::health {
namespace {

/// Not all is reported: in /sys and /proc nothing is.
constexpr loop::Milliseconds kLookAgain{50};

/// One wait, alive until it is told or given up.
class PathWait : public std::enable_shared_from_this<PathWait> {
 public:
  PathWait(loop::EventLoop& loop, loop::Inotify& inotify, loop::WorkThreads& threads,
           host::HostRoot root, std::string path, std::move_only_function<void(bool)> done)
      : loop_(loop),
        inotify_(inotify),
        threads_(threads),
        root_(std::move(root)),
        path_(std::move(path)),
        done_(std::move(done)) {}

  void start(loop::Milliseconds limit) {
    limit_ = limit;
    timer_ = loop_.after(limit, [weak = weak_from_this()] {
      if (const auto wait = weak.lock()) wait->finish(false);
    });
    look();
  }

  void give_up() {
    timer_.reset();
    again_.reset();
    looking_.reset();
    watches_.clear();
    done_ = nullptr;
  }

 private:
  struct Seen {
    bool exists = false;
    std::vector<host::FilePlace> places;  ///< Where it would show that it comes.
  };

  void look() {
    look_again_ = looking_now_;
    if (std::exchange(looking_now_, true)) return;
    const auto seen = std::make_shared<Seen>();
    looking_ = threads_.run(
        "wait " + path_, limit_,
        [seen, root = root_, path = path_] {
          seen->places = host::way_to(root, path);
          seen->exists = root.exists(path);
        },
        [weak = weak_from_this(), seen](loop::WorkOutcome outcome) {
          const auto wait = weak.lock();
          if (!wait) return;
          wait->looking_now_ = false;
          // What hangs ends with the limit.
          if (outcome == loop::WorkOutcome::done) wait->looked(std::move(*seen));
        });
  }

  void looked(Seen seen) {
    if (seen.exists) return finish(true);
    const bool changed = seen.places != places_;
    if (changed) watch(std::move(seen.places));
    // It may have come before it was watched.
    if (changed || look_again_) return look();
    again_ = loop_.after(kLookAgain, [weak = weak_from_this()] {
      if (const auto wait = weak.lock()) wait->look();
    });
  }

  void watch(std::vector<host::FilePlace> places) {
    places_ = std::move(places);
    std::vector<loop::Subscription> watches;
    for (const host::FilePlace& place : places_) {
      auto watch = inotify_.watch(
          place.path, [weak = weak_from_this(), entry = place.entry](const auto& event) {
            const auto wait = weak.lock();
            if (!wait) return;
            if (event.name == entry || event.overflow() || event.directory_gone()) wait->look();
          });
      if (!watch) {
        watches.clear();
        break;
      }
      watches.push_back(*std::move(watch));
    }
    watches_ = std::move(watches);
  }

  void finish(bool exists) {
    auto done = std::move(done_);
    give_up();
    if (done) done(exists);
  }

  loop::EventLoop& loop_;
  loop::Inotify& inotify_;
  loop::WorkThreads& threads_;
  host::HostRoot root_;
  std::string path_;
  loop::Milliseconds limit_{};
  std::move_only_function<void(bool)> done_;
  bool looking_now_ = false;
  bool look_again_ = false;
  std::vector<host::FilePlace> places_;
  std::vector<loop::Subscription> watches_;
  loop::Subscription looking_;
  loop::Subscription again_;
  loop::Subscription timer_;
};

}  // namespace

loop::Subscription wait_for_path(loop::EventLoop& loop, loop::Inotify& inotify,
                                 loop::WorkThreads& threads, host::HostRoot root, std::string path,
                                 loop::Milliseconds limit,
                                 std::move_only_function<void(bool)> done) {
  const auto wait = std::make_shared<PathWait>(loop, inotify, threads, std::move(root),
                                               std::move(path), std::move(done));
  wait->start(limit);
  return loop::Subscription([wait] { wait->give_up(); });
}

}  // namespace patchbay::health
