#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "host/path_follower.h"
#include "loop/event_loop.h"

namespace patchbay::host {

/// Has one thing looked at when a file changes that is read for it. What comes in one turn of the
/// loop is one look, and so is all that one writer does (see WriteDebouncer). Loop thread.
class FileTrigger final : private PathListener {
 public:
  /// The first two outlive this. `on_change` may come in any later turn.
  FileTrigger(loop::EventLoop& loop, PathFollower& paths, std::function<void()> on_change);
  FileTrigger(const FileTrigger&) = delete;
  FileTrigger& operator=(const FileTrigger&) = delete;
  ~FileTrigger() override;

  /// The thing was read, and these files with it. If some of them were not watched while it was
  /// read, it is looked at once more.
  void follow(const std::vector<std::string>& files);
  /// The thing was read. True: that does not count, since one of its files is being written; it is
  /// looked at again soon. Not for ever, though; longer if some file was absent, which may have
  /// been empty for the moment.
  [[nodiscard]] bool should_defer(bool all_there);

 private:
  void path_event(const std::string& path) override;

  loop::EventLoop& loop_;
  PathFollower& paths_;
  std::function<void()> on_change_;
  std::set<std::string> files_;
  int deferred_ = 0;  ///< Looks in a row that did not count.
  loop::Subscription soon_;
};

}  // namespace patchbay::host
