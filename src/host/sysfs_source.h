#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/facts/device_tree.h"
#include "host/hints.h"
#include "host/host_listener.h"
#include "host/targets.h"
#include "host/unresponsive_reads.h"
#include "loop/event_loop.h"
#include "loop/weak_self.h"
#include "model/facts.h"

namespace patchbay::host {

/// By pattern: the reason why the pattern does not find all its matches. Empty if it finds all. See
/// paths::walk_glob().
using PatternTruncations = std::map<std::string, std::string>;

/// Lists the directories that the patterns find. `truncations` may be null. Any thread; blocking.
[[nodiscard]] SysfsListing list_sysfs(const DeviceTree& tree,
                                      const std::vector<std::string>& patterns,
                                      PatternTruncations* truncations = nullptr);

/// Finds the directories that match `sysfs:` patterns. inotify does not work in /sys, so each
/// change of the device tree causes a new listing, on a work thread, one at a time. Loop thread.
class SysfsSource {
 public:
  /// All references must outlive this.
  SysfsSource(loop::EventLoop& loop, DeviceTree tree, std::vector<std::string> patterns,
              Targets& targets, Hints& hints, UnresponsiveReads& unresponsive,
              HostListener& listener);

  /// Lists the patterns. `listed` is called after all found directories were passed to Hints.
  void start(loop::Task listed);
  /// Call it when a device was added, changed or `removed`. The kernel reports a removal before the
  /// directory disappears, so after a removal the patterns are listed a second time, after a delay.
  void tree_changed(bool removed);
  /// Lists again, and queues a read of each found entity that is not yet reported.
  void rescan();

 private:
  struct Listing {
    SysfsListing found;
    PatternTruncations truncations;
    std::vector<std::string> changed;  ///< Keys added, removed, or found in another way.
    loop::Milliseconds took{};
    int exhaustion_errno = 0;  ///< Errno of resource exhaustion. 0 if the other fields are valid.
  };
  static Listing list_all(const DeviceTree& tree, const std::vector<std::string>& patterns,
                          const SysfsListing& before);

  void list();
  void apply(Listing listing);

  loop::EventLoop& loop_;
  DeviceTree tree_;
  std::shared_ptr<const std::vector<std::string>> patterns_;
  Targets& targets_;
  Hints& hints_;
  UnresponsiveReads& unresponsive_;
  HostListener& listener_;
  bool listing_ = false;
  bool again_ = false;  ///< A change came during a listing.
  bool rescan_requested_ = false;
  loop::Subscription pause_;
  loop::Subscription after_removal_;
  loop::Task on_listed_;
  loop::WeakSelf<SysfsSource> weak_self_{this};
};

}  // namespace patchbay::host
