#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/event_counts.h"
#include "base/facts.h"
#include "base/result.h"
#include "host/host_root.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"

namespace patchbay::host {

/// Receives devices, paths and faults from a Host. Called on the loop thread.
class HostListener {
 public:
  virtual ~HostListener() = default;
  /// The next device_seen() or device_gone() is caused by an event that was received at this time.
  /// If an entity had several events: the first.
  virtual void event_received(loop::Time /*at*/) {}
  /// New or re-read facts, which may equal the last ones. With DeviceFacts::unread: the other facts
  /// of a new device. A second call with all facts follows when the read has ended.
  virtual void device_seen(DeviceFactsPtr facts) = 0;
  /// An event occurred for a reported entity; a mere rescan does not call this. Its facts are those
  /// reported last. If one of its files is being written, new facts follow.
  virtual void device_event(const std::string& /*key*/) {}
  /// The entity with this DeviceFacts::key is gone, or no rule can match it any more.
  virtual void device_gone(const std::string& key) = 0;
  /// The online NUMA nodes, read at start before first_scan_done(), and at each rescan.
  virtual void nodes_online(const std::set<int>& /*nodes*/) {}
  /// Why a `glob:` or `sysfs:` pattern, as written, does not find all its matches. Empty: it finds
  /// all. Patterns that are never reported here find all.
  virtual void pattern_truncated(const std::string& /*pattern*/, const std::string& /*why*/) {}
  /// All unresponsive paths and devices, whenever that list changes. The last results of those that
  /// answered were reported before.
  virtual void unanswered(const std::vector<Unanswered>& /*all*/) {}
  /// Called once, when everything that existed at start() has been reported. Exceptions: devices
  /// that a busy udevd has not processed yet, and unresponsive paths.
  virtual void first_scan_done() = 0;
};

struct HostOptions {
  /// Requested receive buffer of each udev monitor. The kernel grants at most this (8 MiB by
  /// default).
  size_t receive_buffer_bytes = size_t{8} << 20U;
  /// Period of the full rescan that covers missed events. 0: never.
  loop::Milliseconds rescan_period = std::chrono::minutes(5);
  /// Follow events. False: one scan (discover).
  bool watch = true;
  HostRoot root{};  ///< Root for `glob:` rules and files.
};

/// Finds and follows the host's devices and paths, and reports them to a HostListener. It lists
/// kernel devices by libudev, directories under /sys, and paths, with the files that content rules
/// compare. Static names are reported unchanged.
///
/// Events come from the kernel's and udev's netlink groups, udev's database and inotify. An event
/// is only a hint to read a device again. Work threads read the facts, one job per device at a
/// time, so a hung read delays nothing else. Lost events cause a rescan. Loop thread. The interface
/// keeps the implementation out of the users' builds.
class Host {
 public:
  [[nodiscard]] static std::unique_ptr<Host> create(loop::EventLoop& loop, loop::Inotify& inotify,
                                                    HostOptions options);
  virtual ~Host() = default;

  /// Opens all event sources, then lists everything. `listener` outlives this object. Call it once:
  /// another query needs another Host. Degraded sources (no udev, no netlink) are logged once, with
  /// the remaining capabilities.
  virtual Result<void> start(HostQueryPtr query, HostListener& listener) = 0;

  /// Reads the entity with this DeviceFacts::key soon, if it is reported.
  virtual void refresh_if_known(const std::string& key) = 0;

  /// Treats the entity with this key as reported, because the caller knows it from before. If it no
  /// longer exists, device_gone() is called.
  virtual void assume(const std::string& key) = 0;

  /// Reads everything again.
  virtual void rescan(const std::string& reason) = 0;

  [[nodiscard]] virtual EventCounts event_counts() const = 0;
  /// The event sources that the query needs.
  [[nodiscard]] virtual EventSources event_sources() const = 0;
};

}  // namespace patchbay::host
