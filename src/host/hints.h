#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loop/event_loop.h"
#include "model/facts.h"

namespace patchbay::host {

/// The reason of a read, which is also its priority: the highest first.
enum class ReadReason : uint8_t {
  event,   ///< An event occurred for the entity.
  found,   ///< A scan found an entity that is not reported yet.
  rescan,  ///< A rescan verifies a reported entity.
};

/// Receives hints from the event sources about entities that may have changed. Loop thread.
class Hints {
 public:
  virtual ~Hints() = default;
  /// Read the entity soon, unless udevd is still busy with it.
  virtual void refresh(const std::string& key) = 0;
  /// Read the device soon, unless udevd is still busy with it. `facts`: the cheap facts from its
  /// uevent.
  virtual void refresh_from_event(const DeviceFacts& facts) = 0;
  /// Read the entity soon if it was reported before or is being read.
  virtual void refresh_if_known(const std::string& key) = 0;
  /// A device changed. Read what was reported below it, and the directories above it that a sysfs
  /// pattern found, because their facts may depend on the device.
  virtual void refresh_around(const std::string& syspath) = 0;
  /// The entity is gone.
  virtual void gone(const std::string& key) = 0;
  /// A listing found these entities. They are read when no hints wait. Just before its read, an
  /// entity is skipped if it is already reported (ReadReason::found), or no longer reported
  /// (ReadReason::rescan).
  virtual void scan(std::vector<std::string> keys, ReadReason reason) = 0;
  /// The reported keys below `directory`.
  [[nodiscard]] virtual std::vector<std::string> reported_below(
      const std::string& directory) const = 0;
  /// Calls `task` once, when everything that is queued now has been read or is unresponsive. Later
  /// scans for unreported entities delay it; queued rescans and slow entities do not.
  virtual void when_caught_up(loop::Task task) = 0;
};

/// Receives requests to list everything again. Loop thread.
class RescanRequests {
 public:
  virtual ~RescanRequests() = default;
  /// A source lost events.
  virtual void events_lost(const std::string& source) = 0;
  /// Everything may have changed.
  virtual void rescan(const std::string& reason) = 0;
};

}  // namespace patchbay::host
