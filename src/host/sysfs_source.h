#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/facts.h"
#include "host/hints.h"
#include "loop/event_loop.h"
#include "loop/weak_self.h"

namespace patchbay::host {

/// By the canonical path of a directory, which patterns found it by which paths; sorted.
using SysfsListing = std::map<std::string, FoundByList>;
/// By pattern, why it does not find all that it matches; empty: it does. See walk_glob().
using PatternTruncations = std::map<std::string, std::string>;

/// Where all of them look.
inline constexpr const char* kSysfs = "/sys";

/// What the patterns find. Any thread; blocking. Adds to `cuts`, if that is asked for. `sysfs` is
/// another directory than /sys in tests only.
[[nodiscard]] SysfsListing list_sysfs(const std::vector<std::string>& patterns,
                                      const std::string& sysfs = "/sys",
                                      PatternTruncations* truncations = nullptr);

/// The directories that `sysfs:` patterns find. /sys reports no changes of its directories, so
/// every change of the device tree has the patterns listed again, in the pool, one listing at a
/// time. Loop thread.
class SysfsSource {
 public:
  SysfsSource(loop::EventLoop& loop, std::vector<std::string> patterns, Hints& hints);

  /// Lists; `listed` is called when everything found has been hinted.
  void start(loop::Task listed);
  /// Something came or changed; or `left`, and the kernel tells so before it is out of the tree.
  void tree_changed(bool removed);
  /// Lists again and looks at what was found but not told.
  void rescan();

  /// By which patterns and paths the directory with this canonical path was found.
  [[nodiscard]] FoundByList found_by(const std::string& key) const;
  [[nodiscard]] bool finds(const std::string& key) const { return found_->contains(key); }

 private:
  struct Listing {
    SysfsListing found;
    PatternTruncations truncations;
    std::vector<std::string> changed;  ///< Found now and not before, or otherwise, or no more.
    loop::Milliseconds took{};
    int exhaustion_errno = 0;  ///< The errno of a want of room: the rest means nothing.
  };
  static Listing list_all(const std::vector<std::string>& patterns, const SysfsListing& before);

  void list();
  void apply(Listing listing);

  loop::EventLoop& loop_;
  std::shared_ptr<const std::vector<std::string>> patterns_;
  Hints& hints_;
  std::shared_ptr<const SysfsListing> found_ = std::make_shared<const SysfsListing>();
  bool listing_ = false;
  bool again_ = false;  ///< Something changed while a listing ran.
  bool rescan_requested_ = false;
  loop::Subscription pause_;
  loop::Subscription after_removal_;
  loop::Task on_listed_;
  loop::WeakSelf<SysfsSource> weak_self_{this};
};

}  // namespace patchbay::host
