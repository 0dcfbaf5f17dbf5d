#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "host/host_listener.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "model/event_counts.h"
#include "model/facts.h"
#include "paths/host_root.h"

/// Stage: the facts of devices and paths. A Generation makes a Host with the HostQuery of its plan,
/// and gets the facts through host/host_listener.h. In this folder, event sources and listings give
/// hints to the Refresher, which reads the entities.
///
/// To add a kind of entity besides devices, directories of /sys, paths and static names:
/// - its RuleKind (model/fact.h), and its fields of HostQuery (model/facts.h);
/// - a source that lists it, with GlobSource as the model, and its scan in host/scanner.cpp;
/// - its read in host/facts/fact_reader.cpp.
namespace patchbay::host {

struct HostOptions {
  /// Receive buffer that each udev monitor requests. The kernel may grant less.
  size_t receive_buffer_bytes = size_t{8} << 20U;
  /// Period of the full rescan, which covers missed events. 0: never.
  loop::Milliseconds rescan_period = std::chrono::minutes(5);
  /// Whether events are followed. If false, there is only one scan.
  bool watch = true;
  paths::HostRoot root{};  ///< Root for `glob:` rules and files.
};

/// Finds and follows the host's devices and paths, and reports them to a HostListener. It lists
/// kernel devices, directories under /sys, and paths, and reads the files that rules compare.
/// Static names are reported unchanged.
///
/// Events come from the kernel's and udev's netlink groups, udev's database and inotify. An event
/// is only a hint to read a device again. Work threads read the facts. Two threads never read one
/// device at once. A hung read does not delay others. Lost events cause a rescan. Loop thread.
class Host {
 public:
  /// `loop`, `inotify` and `listener` must outlive the object.
  [[nodiscard]] static std::unique_ptr<Host> create(loop::EventLoop& loop, loop::Inotify& inotify,
                                                    HostOptions options, HostQueryPtr query,
                                                    HostListener& listener);
  virtual ~Host() = default;

  /// Opens all event sources, then lists everything. Call it once. If an event source such as udev
  /// or netlink is missing, a log line names it and the capabilities that remain.
  virtual void start() = 0;

  /// Requests a read of the entity with this key, if it is reported or about to be read.
  virtual void refresh_if_known(const std::string& key) = 0;

  /// Treats the entity with this key as reported, because the caller knows it from another Host. If
  /// a scan does not find it, HostListener::device_gone() is called.
  virtual void assume(const std::string& key) = 0;

  /// Lists and reads everything again. Call it after start().
  virtual void rescan(const std::string& reason) = 0;

  [[nodiscard]] virtual EventCounts event_counts() const = 0;
  /// The event sources that the query needs.
  [[nodiscard]] virtual EventSources event_sources() const = 0;
};

}  // namespace patchbay::host
