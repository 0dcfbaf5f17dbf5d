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

/// Hears what the host has. Called on the loop thread.
class HostListener {
 public:
  virtual ~HostListener() = default;
  /// What device_seen() or device_gone() tells next is told for an event, which was heard then. Of
  /// several events of a thing, the first.
  virtual void event_received(loop::Time /*at*/) {}
  /// New or re-read facts; may equal the last ones. With DeviceFacts::unread, the other facts of a
  /// device that is new: all of them follow when the read has ended.
  virtual void device_seen(DeviceFactsPtr facts) = 0;
  /// Something happened to a thing that was reported: it was not only looked at again. It is what
  /// was reported last, unless one of its files is being written: then its facts follow.
  virtual void device_event(const std::string& /*key*/) {}
  /// The thing with that DeviceFacts::key is gone (or no rule looks at it any more).
  virtual void device_gone(const std::string& key) = 0;
  /// The NUMA nodes that are online, as read at the start, before first_scan_done(), and at each
  /// rescan.
  virtual void nodes_online(const std::set<int>& /*nodes*/) {}
  /// Why a `glob:` or `sysfs:` pattern, as written, does not find all that it matches; empty: it
  /// does, as all do that nothing was reported of.
  virtual void pattern_truncated(const std::string& /*pattern*/, const std::string& /*why*/) {}
  /// All that does not answer now; when it becomes something else. What it told of at last has been
  /// reported before.
  virtual void unanswered(const std::vector<Unanswered>& /*all*/) {}
  /// Everything that was there when start() was called has been reported, but for the devices that
  /// a busy udevd has not seen yet, and what does not answer; once.
  virtual void first_scan_done() = 0;
};

struct HostOptions {
  /// Receive buffer asked for each udev monitor; the kernel grants at most this (8 MiB by default).
  size_t receive_buffer_bytes = size_t{8} << 20U;
  /// The floor under all events: everything is looked at again this often. 0: never.
  loop::Milliseconds rescan_period = std::chrono::minutes(5);
  /// Follow events; false: one scan (discover).
  bool watch = true;
  HostRoot root{};  ///< For `glob:` rules and files.
};

/// The machine: kernel devices by libudev, directories under /sys, and paths, enumerated and then
/// followed by events (the udev and kernel netlink groups, udev's database, inotify), and with each
/// thing the files whose content rules compare. Static names are reported as they are. Every event
/// is only a hint to look at a device again; facts are read on work threads, one job per device
/// at a time, and what hangs there holds up nothing else. Lost events lead to a rescan. Loop
/// thread. An interface, so that who follows devices is not compiled with all that finds them.
class Host {
 public:
  [[nodiscard]] static std::unique_ptr<Host> create(loop::EventLoop& loop, loop::Inotify& inotify,
                                                    HostOptions options);
  virtual ~Host() = default;

  /// Opens all event sources, then enumerates; `listener` outlives this object. Once: for another
  /// query, another Host. Degraded sources (no udev, no netlink) are logged once, with what still
  /// works.
  virtual Result<void> start(HostQueryPtr query, HostListener& listener) = 0;

  /// Looks at the thing with that DeviceFacts::key soon, if it was reported.
  virtual void refresh_if_known(const std::string& key) = 0;

  /// The thing with that key is known from before, as if it had been reported: it is told when it
  /// is gone.
  virtual void assume(const std::string& key) = 0;

  /// Looks at everything again.
  virtual void rescan(const std::string& reason) = 0;

  [[nodiscard]] virtual EventCounts event_counts() const = 0;
  /// Those that the query needs.
  [[nodiscard]] virtual EventSources event_sources() const = 0;
};

}  // namespace patchbay::host
