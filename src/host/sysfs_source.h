#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/hints.h"
#include "loop/event_loop.h"
#include "loop/weak_self.h"
#include "model/facts.h"

namespace patchbay::host {

/// Canonical directory path -> the patterns and paths that found it; sorted.
using SysfsListing = std::map<std::string, FoundByList>;
/// Pattern -> why it does not find all its matches; empty: it finds all. See paths::walk_glob().
using PatternTruncations = std::map<std::string, std::string>;

/// Root of all sysfs patterns.
inline constexpr const char* kSysfs = "/sys";

/// Lists what the patterns find. Any thread; blocking. Adds to `truncations` unless it is null.
/// `sysfs` differs from /sys only in tests.
[[nodiscard]] SysfsListing list_sysfs(const std::vector<std::string>& patterns,
                                      const std::string& sysfs = "/sys",
                                      PatternTruncations* truncations = nullptr);

/// Finds the directories that match `sysfs:` patterns. /sys reports no changes of its directories,
/// so each change of the device tree causes a new listing. Listings run on a work thread, one at a
/// time. Loop thread.
class SysfsSource {
 public:
  SysfsSource(loop::EventLoop& loop, std::vector<std::string> patterns, Hints& hints);

  /// Lists the patterns. `listed` is called when everything found has been hinted.
  void start(loop::Task listed);
  /// A device was added, changed or `removed`. The kernel reports a removal before the directory
  /// disappears.
  void tree_changed(bool removed);
  /// Lists again, and has everything found read that is not reported.
  void rescan();

  /// The patterns and paths that found the directory with this canonical path.
  [[nodiscard]] FoundByList found_by(const std::string& key) const;
  [[nodiscard]] bool finds(const std::string& key) const { return found_->contains(key); }

 private:
  struct Listing {
    SysfsListing found;
    PatternTruncations truncations;
    std::vector<std::string> changed;  ///< Added, removed, or found in another way.
    loop::Milliseconds took{};
    int exhaustion_errno = 0;  ///< Errno of resource exhaustion. 0: other fields are valid.
  };
  static Listing list_all(const std::vector<std::string>& patterns, const SysfsListing& before);

  void list();
  void apply(Listing listing);

  loop::EventLoop& loop_;
  std::shared_ptr<const std::vector<std::string>> patterns_;
  Hints& hints_;
  std::shared_ptr<const SysfsListing> found_ = std::make_shared<const SysfsListing>();
  bool listing_ = false;
  bool again_ = false;  ///< A change came during a listing.
  bool rescan_requested_ = false;
  loop::Subscription pause_;
  loop::Subscription after_removal_;
  loop::Task on_listed_;
  loop::WeakSelf<SysfsSource> weak_self_{this};
};

}  // namespace patchbay::host
