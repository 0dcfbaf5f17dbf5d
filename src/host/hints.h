#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/refresher.h"
#include "host/responsiveness.h"

namespace patchbay::host {

/// Where the event sources bring what they noticed. Loop thread.
class Hints {
 public:
  virtual ~Hints() = default;
  /// Look at the thing soon, unless udevd is still busy with it.
  virtual void refresh(const std::string& key) = 0;
  /// The same, of a device of which the kernel has just told all that costs nothing.
  virtual void refresh_from_event(const DeviceFacts& facts) = 0;
  /// A source lost events.
  virtual void events_lost(const std::string& source) = 0;
  /// The same, if it was reported before or is being looked at.
  virtual void refresh_if_known(const std::string& key) = 0;
  /// A device changed: look at what was reported below it, and at the directories that a sysfs
  /// pattern found above it, whose facts may depend on it.
  virtual void refresh_around(const std::string& syspath) = 0;
  /// The thing has gone.
  virtual void gone(const std::string& key) = 0;
  /// A listing found these.
  virtual void scan(std::vector<std::string> keys, Urgency urgency) = 0;
  /// Why a pattern does not find all that it matches; empty: it does.
  virtual void pattern_truncated(const std::string& pattern, const std::string& why) = 0;
  /// Whether what a pattern finds is known; if it was not before, that has been told. It looks into
  /// `directory`.
  virtual void pattern_responsiveness(const std::string& pattern, const std::string& directory,
                                      Responsiveness responsiveness) = 0;
  /// For want of room, with that errno, it could not be listed what patterns find in `directory`;
  /// without any, what the kernel has there. `again` lists that anew.
  virtual void listing_refused(const std::string& directory,
                               const std::vector<std::string>& patterns, int error,
                               std::function<void()> again) = 0;
  /// It was listed: told of what pattern_responsiveness() is not told of.
  virtual void listed(const std::string& directory) = 0;
  /// For want of room, with that errno, a source of events could not be opened; `again` opens it.
  virtual void source_refused(const std::string& source, int error,
                              std::function<void()> again) = 0;
  /// It was opened.
  virtual void source_opened(const std::string& source) = 0;
  /// What was reported whose key is below `directory`.
  [[nodiscard]] virtual std::vector<std::string> reported_below(
      const std::string& directory) const = 0;
  /// The kernel's device tree changed, so the sysfs patterns may find something else.
  virtual void tree_changed(bool device_removed) = 0;
  /// Where the file system that may not answer is mounted that has what `key` names, see
  /// Mounts::unreliable_mount_of(). Asked of what is silent only: the mount table may be long.
  [[nodiscard]] virtual std::string mount_of(const std::string& key) = 0;
  /// Everything may have changed.
  virtual void rescan(const std::string& reason) = 0;
};

}  // namespace patchbay::host
