#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "loop/event_loop.h"
#include "model/facts.h"

namespace patchbay::host {

/// Receives what a Host reports. An entity is a device, a directory under /sys, a path or a static
/// name; DeviceFacts::key identifies it. Called on the loop thread.
class HostListener {
 public:
  virtual ~HostListener() = default;
  /// Receives new or re-read facts, which may equal the last ones. If DeviceFacts::unread is not
  /// empty, the device is new and its read takes long: only the other facts are valid. When the
  /// read has ended, another call has all facts, unless the device is gone. `event_time`: when the
  /// first event that caused the read was received; null if a scan caused the read.
  virtual void device_seen(DeviceFactsPtr facts, std::optional<loop::Time> event_time) = 0;
  /// An event, not a rescan, caused a read of an entity. The facts are those of the last
  /// device_seen(). If one of the entity's files is being written, new facts follow.
  virtual void device_event(const std::string& /*key*/) {}
  /// The entity with this DeviceFacts::key is gone, or no rule can match it any more. `event_time`:
  /// as in device_seen().
  virtual void device_gone(const std::string& key, std::optional<loop::Time> event_time) = 0;
  /// Receives the online NUMA nodes, before first_scan_done() and at each rescan.
  virtual void nodes_online(const std::set<int>& /*nodes*/) {}
  /// Receives the reason why a `glob:` or `sysfs:` pattern does not find all its matches. `why` is
  /// empty if the pattern finds all of them. Until the first call for a pattern, the pattern finds
  /// all.
  virtual void pattern_truncated(const std::string& /*pattern*/, const std::string& /*why*/) {}
  /// Receives all entities and listings that are unresponsive or cannot be read, whenever this list
  /// changes. An item leaves the list only after its result was reported.
  virtual void unresponsive(const std::vector<Unresponsive>& /*all*/) {}
  /// Called once, when everything that existed at start() has been reported. Exceptions: devices
  /// that a busy udevd has not processed yet, and unresponsive paths.
  virtual void first_scan_done() = 0;
};

}  // namespace patchbay::host
