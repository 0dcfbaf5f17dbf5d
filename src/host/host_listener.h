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
  /// New or re-read facts, which may equal the last ones. If DeviceFacts::unread is not empty, the
  /// device is new and its read takes long: only the other facts are valid. When the read has
  /// ended, another call has all facts, unless the device is gone. `event_time`: when the first
  /// event that caused the read was received; null: a scan caused it.
  virtual void device_seen(DeviceFactsPtr facts, std::optional<loop::Time> event_time) = 0;
  /// An event occurred for a reported entity; a mere rescan does not call this. Its facts are those
  /// reported last. If one of its files is being written, new facts follow.
  virtual void device_event(const std::string& /*key*/) {}
  /// The entity with this DeviceFacts::key is gone, or no rule can match it any more. `event_time`:
  /// as in device_seen().
  virtual void device_gone(const std::string& key, std::optional<loop::Time> event_time) = 0;
  /// The online NUMA nodes, read at start before first_scan_done(), and at each rescan.
  virtual void nodes_online(const std::set<int>& /*nodes*/) {}
  /// Why a `glob:` or `sysfs:` pattern, as written, does not find all its matches. Empty: it finds
  /// all. Patterns that are never reported here find all.
  virtual void pattern_truncated(const std::string& /*pattern*/, const std::string& /*why*/) {}
  /// All sources that cannot be read: unresponsive ones, and those refused because of resource
  /// exhaustion. Called when that list changes. If a source answered, its result was reported
  /// before.
  virtual void unresponsive(const std::vector<Unresponsive>& /*all*/) {}
  /// Called once, when everything that existed at start() has been reported. Exceptions: devices
  /// that a busy udevd has not processed yet, and unresponsive paths.
  virtual void first_scan_done() = 0;
};

}  // namespace patchbay::host
