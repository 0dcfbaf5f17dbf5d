#include "health/path_wait.h"

#include <memory>
#include <utility>

namespace patchbay::health {
namespace {

/// Poll period where no changes are reported: in /sys and /proc, and if watches are exhausted.
constexpr loop::Milliseconds kCheckPeriod{50};

/// One wait, alive until it is finished or cancelled.
class PathWait final : private paths::PathListener {
 public:
  PathWait(loop::EventLoop& loop, paths::PathFollower& paths, std::string path,
           loop::Milliseconds limit, std::move_only_function<void(bool)> done)
      : paths_(paths),
        path_(std::move(path)),
        done_(std::move(done)),
        limit_(loop.after(limit, [this] { finish(false); })),
        again_(loop.every(kCheckPeriod, [this] { recheck(); })) {
    paths_.follow(path_, *this);
    // If others wait for the path, follow() starts no check.
    paths_.refresh(path_);
  }
  PathWait(const PathWait&) = delete;
  PathWait& operator=(const PathWait&) = delete;
  ~PathWait() override { paths_.drop(path_, *this); }

 private:
  void path_state_changed(const std::string& /*path*/, const paths::PathState& /*state*/) override {
    if (exists()) finish(true);
  }
  void recheck() {
    if (exists()) {
      finish(true);
    } else if (!paths_.reports_all_changes(path_)) {
      paths_.refresh(path_);
    }
  }
  [[nodiscard]] bool exists() const {
    return paths_.state(path_).kind == paths::PathState::Kind::exists;
  }
  /// Must be the last statement of a caller: the receiver may destroy this wait.
  void finish(bool exists) {
    limit_.reset();
    again_.reset();
    if (auto done = std::exchange(done_, nullptr)) done(exists);
  }

  paths::PathFollower& paths_;
  std::string path_;
  std::move_only_function<void(bool)> done_;
  loop::Subscription limit_;
  loop::Subscription again_;
};

}  // namespace

loop::Subscription wait_for_path(loop::EventLoop& loop, paths::PathFollower& paths,
                                 std::string path, loop::Milliseconds limit,
                                 std::move_only_function<void(bool)> done) {
  auto wait = std::make_unique<PathWait>(loop, paths, std::move(path), limit, std::move(done));
  return loop::Subscription([wait = std::move(wait)]() mutable { wait.reset(); });
}

}  // namespace patchbay::health
