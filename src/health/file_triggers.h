#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "host/file_watch.h"
#include "host/hints.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "loop/work_threads.h"

namespace patchbay::health {

/// Tells that a file has changed which a probe reads. Not of files in /proc and /sys, which do not
/// report it. Loop thread.
class FileTriggers final : private host::LookHints {
 public:
  /// `loop`, `threads` and `inotify` outlive this.
  FileTriggers(loop::EventLoop& loop, loop::WorkThreads& threads, loop::Inotify& inotify,
               host::HostRoot root);

  /// A probe: what to call when one of its files may have changed. The number is for the rest.
  [[nodiscard]] uint64_t add(std::function<void()> on_change);
  /// It was read: looks which places lead to its files now. Those that were not watched meanwhile
  /// count as changed.
  void was_read(uint64_t probe, const std::vector<std::string>& files);
  /// It was read just now. True: that does not count, since a file is being written; see FileWatch.
  [[nodiscard]] bool defers(uint64_t probe, bool all_there) {
    return watch_.defers(std::to_string(probe), all_there);
  }
  void drop(uint64_t probe);

  [[nodiscard]] loop::Inotify& inotify() const { return inotify_; }
  [[nodiscard]] const host::HostRoot& root() const { return root_; }

 private:
  struct Probe {
    std::function<void()> on_change;
    loop::Subscription looking{};
  };

  void look(const std::string& key) override;
  void events_lost(const std::string& source) override;

  loop::WorkThreads& threads_;
  loop::Inotify& inotify_;
  host::HostRoot root_;
  std::map<std::string, Probe> probes_;  ///< By number.
  uint64_t next_ = 0;
  host::FileWatch watch_;
};

}  // namespace patchbay::health
