#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loop/event_loop.h"
#include "model/facts.h"

namespace patchbay::host {

/// The reason for a read. It is also the priority of the read, the highest first.
enum class ReadReason : uint8_t {
  event,   ///< An event occurred for the entity.
  found,   ///< A scan found an entity that is not reported yet.
  rescan,  ///< A rescan verifies a reported entity.
};

/// Receives hints from event sources and listings. A hint is the key of an entity that may have
/// changed. An entity counts as reported from HostListener::device_seen() to device_gone(). Loop
/// thread.
class Hints {
 public:
  virtual ~Hints() = default;
  /// Requests a read of the entity, unless udevd is still busy with it.
  virtual void refresh(const std::string& key) = 0;
  /// As refresh(), for a device with a uevent. `facts`: the facts in the uevent.
  virtual void refresh_from_event(const DeviceFacts& facts) = 0;
  /// As refresh(), but only if the entity is reported or about to be read.
  virtual void refresh_if_known(const std::string& key) = 0;
  /// Requests reads of entities whose facts may depend on a changed device: reported entities below
  /// it, and directories above it that a `sysfs:` pattern found.
  virtual void refresh_around(const std::string& syspath) = 0;
  /// Call it when the entity is gone.
  virtual void gone(const std::string& key) = 0;
  /// Requests reads of entities that a listing found; other hints come first. The state of each
  /// entity is checked just before its read. ReadReason::found skips an entity that is already
  /// reported, and ReadReason::rescan skips one that is not reported.
  virtual void scan(std::vector<std::string> keys, ReadReason reason) = 0;
  /// The keys of all reported entities below `directory`.
  [[nodiscard]] virtual std::vector<std::string> reported_below(
      const std::string& directory) const = 0;
  /// Calls `task` once, when all entities that are queued now have been read or are unresponsive.
  /// `task` does not wait for rescans and slow entities. Later scans with ReadReason::found delay
  /// `task`.
  virtual void when_caught_up(loop::Task task) = 0;
};

/// Receives requests to list everything again. Loop thread.
class RescanRequests {
 public:
  virtual ~RescanRequests() = default;
  /// Requests a rescan, because `source` lost events.
  virtual void events_lost(const std::string& source) = 0;
  /// Requests a rescan for any other reason.
  virtual void rescan(const std::string& reason) = 0;
};

}  // namespace patchbay::host
