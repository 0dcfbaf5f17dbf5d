#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/hints.h"
#include "host/source_report.h"
#include "host/sysfs_source.h"
#include "host/udev/kernel_monitor.h"
#include "host/udev/udev_database.h"
#include "host/udev/udev_monitor.h"
#include "host/udev/udev_pending.h"
#include "host/udev/udevd_state.h"
#include "host/unresponsive_reads.h"
#include "model/event_counts.h"
#include "model/facts.h"

namespace patchbay::host {

/// Receives the events of kernel devices from the kernel's netlink group, udev's netlink group and
/// udev's database, and turns them into hints. Each of these sources may be missing. UdevSource
/// also keeps UdevPending up to date. Loop thread.
class UdevSource final : private UdevDatabase::Listener {
 public:
  /// The objects that this source calls. They must outlive it.
  struct Receivers {
    Hints& hints;
    RescanRequests& rescans;
    UnresponsiveReads& unresponsive;
    SysfsSource& sysfs;
    UdevPending& pending;
    EventCounts& counts;
  };

  UdevSource(loop::EventLoop& loop, loop::Inotify& inotify, HostQueryPtr query,
             size_t receive_buffer_bytes, const Receivers& receivers);

  /// Opens all sources. Events are queued from then on, so a later scan misses nothing.
  void start();

  void add_sources(EventSources& sources) const;
  /// Defers a device that a scan found, until udevd has processed it.
  void defer(const std::string& key);
  /// Call it when the read of the device `key` found its record `id` in udev's database.
  void has_record(const std::string& id, const std::string& key);

 private:
  /// Both open a netlink group, and return whether it is open.
  bool open_kernel_group();
  bool open_udev_group();
  void cannot_open(const Error& error, const std::string& name, bool (UdevSource::*open)());
  void log_buffer_size() const;
  [[nodiscard]] std::vector<std::string> udev_filter() const;

  void on_kernel(const UdevEvent& event);
  /// Passes a kernel event to UdevPending. Returns whether to read the device now.
  bool may_be_read(const DeviceFacts& event_facts, uint64_t seqnum);
  void on_udev(const UdevEvent& event);
  void on_device_removed(const UdevEvent& event);
  void record_written() override;
  void record_found(const std::string& id, const std::string& syspath) override;
  void record_deleted(const std::string& id) override;
  void records_lost() override { rescans_.events_lost("udev's database"); }
  void on_udevd(bool runs);
  void on_queue(bool exists);
  void note_udevd_activity();
  void check_udevd_alive();
  void stop_waiting(const char* message);
  void refresh_all(const std::vector<std::string>& keys);
  void arm_timer();
  void on_timer();

  loop::EventLoop& loop_;
  HostQueryPtr query_;
  size_t receive_buffer_bytes_;
  Hints& hints_;
  RescanRequests& rescans_;
  UnresponsiveReads& unresponsive_;
  SysfsSource& sysfs_;
  UdevPending& pending_;
  EventCounts& counts_;

  UdevdState udevd_;
  UdevSettleDetector settle_detector_;
  UdevDatabase database_;
  std::unique_ptr<KernelMonitor> kernel_;
  std::unique_ptr<UdevMonitor> udev_;
  SourceReport report_;
  bool ignore_udevd_ = false;  ///< udevd seems to run, but none of its output arrives.
  /// Syspath by record name, while the database is followed.
  std::unordered_map<std::string, std::string> records_;
  loop::Subscription timer_;
  loop::Subscription check_;  ///< Liveness check while udevd is busy with pending devices.
};

}  // namespace patchbay::host
