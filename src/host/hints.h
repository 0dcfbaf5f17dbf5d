#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/refresher.h"
#include "paths/responsiveness.h"

namespace patchbay::host {

/// Receives hints from the event sources about what may have changed. Loop thread.
class Hints {
 public:
  virtual ~Hints() = default;
  /// Read the entity soon, unless udevd is still busy with it.
  virtual void refresh(const std::string& key) = 0;
  /// Read the device soon, unless udevd is still busy with it. `facts`: the cheap facts from its
  /// uevent.
  virtual void refresh_from_event(const DeviceFacts& facts) = 0;
  /// A source lost events.
  virtual void events_lost(const std::string& source) = 0;
  /// Read the entity soon if it was reported before or is being read.
  virtual void refresh_if_known(const std::string& key) = 0;
  /// A device changed. Read what was reported below it, and the directories above it that a sysfs
  /// pattern found, because their facts may depend on the device.
  virtual void refresh_around(const std::string& syspath) = 0;
  /// The entity is gone.
  virtual void gone(const std::string& key) = 0;
  /// A listing found these.
  virtual void scan(std::vector<std::string> keys, ReadReason reason) = 0;
  /// Why a pattern does not find all its matches. Empty: it finds all.
  virtual void pattern_truncated(const std::string& pattern, const std::string& why) = 0;
  /// Whether the result of a pattern, which lists `directory`, is known. On `ok` the result has
  /// been hinted before.
  virtual void pattern_responsiveness(const std::string& pattern, const std::string& directory,
                                      paths::Responsiveness responsiveness) = 0;
  /// The listing of `directory` failed with an errno of resource exhaustion. `patterns`: those
  /// affected; empty: the listing of kernel devices. `again` lists it again.
  virtual void listing_refused(const std::string& directory,
                               const std::vector<std::string>& patterns, int error,
                               std::function<void()> again) = 0;
  /// The listing of `directory` succeeded. For listings that pattern_responsiveness() does not
  /// report.
  virtual void listed(const std::string& directory) = 0;
  /// An event source could not be opened, with an errno of resource exhaustion. `again` opens it.
  virtual void source_refused(const std::string& source, int error,
                              std::function<void()> again) = 0;
  /// The source was opened.
  virtual void source_opened(const std::string& source) = 0;
  /// The reported keys below `directory`.
  [[nodiscard]] virtual std::vector<std::string> reported_below(
      const std::string& directory) const = 0;
  /// The kernel's device tree changed, so sysfs patterns may find other directories.
  virtual void tree_changed(bool device_removed) = 0;
  /// The unreliable mount that contains `key`: see paths::Mounts::unreliable_mount_of(). Called
  /// only for unresponsive entities, because the mount table may be long.
  [[nodiscard]] virtual std::string mount_of(const std::string& key) = 0;
  /// Everything may have changed.
  virtual void rescan(const std::string& reason) = 0;
};

}  // namespace patchbay::host
