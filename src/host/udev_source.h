#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/facts/fact_reader.h"
#include "host/hints.h"
#include "host/source_report.h"
#include "host/udev/kernel_monitor.h"
#include "host/udev/udev_database.h"
#include "host/udev/udev_monitor.h"
#include "host/udev/udev_pending.h"
#include "host/udev/udev_settle_detector.h"
#include "host/udev/udevd_state.h"
#include "model/event_counts.h"
#include "model/facts.h"

namespace patchbay::host {

/// Receives the events of kernel devices from the kernel's netlink group, udev's netlink group and
/// udev's database, and turns them into hints. Each source may be missing. It also knows which
/// devices udevd is still processing. Loop thread.
class UdevSource {
 public:
  UdevSource(loop::EventLoop& loop, loop::Inotify& inotify, HostQueryPtr query,
             size_t receive_buffer_bytes, Hints& hints, EventCounts& counts);

  /// Opens all sources. Events are queued from then on, so a scan after this call misses nothing.
  void start();

  /// Whether the device must not be read yet.
  [[nodiscard]] bool blocks(const std::string& key) const { return pending_.blocks(key); }
  /// Whether udevd has a queue of events.
  [[nodiscard]] bool udevd_busy() const {
    return !ignore_udevd_ && udevd_.queue_exists() && udevd_.udevd_runs();
  }
  void add_sources(EventSources& sources) const;
  /// A scan found a device that udevd has not processed yet.
  void defer(const std::string& key);
  /// The device that was read has a record in udev's database.
  void has_record(const std::string& id, const std::string& key);

 private:
  void open_kernel_group();
  void open_udev_group();
  void open_again(void (UdevSource::*open)());
  void cannot_open(const Error& error, const std::string& name, void (UdevSource::*open)());
  void log_buffer_size() const;
  [[nodiscard]] std::vector<std::string> udev_filter() const;

  void on_kernel(const UdevEvent& event);
  /// Handles a kernel event. True: read the device now.
  bool may_be_read(const DeviceFacts& event_facts, uint64_t seqnum);
  void on_udev(const UdevEvent& event);
  void on_device_removed(const UdevEvent& event);
  void on_record_written();
  void on_record(const std::string& id, const std::string& syspath);
  void on_record_deleted(const std::string& id);
  void on_udevd(bool runs);
  void on_queue(bool exists);
  void note_udevd_activity();
  void check_udevd_alive();
  void stop_waiting(const std::string& reason);
  void refresh_all(const std::vector<std::string>& keys);
  void arm_timer();
  void on_timer();

  loop::EventLoop& loop_;
  HostQueryPtr query_;
  size_t receive_buffer_bytes_;
  Hints& hints_;
  EventCounts& counts_;

  UdevdState udevd_;
  UdevSettleDetector settle_detector_;
  UdevDatabase database_;
  std::unique_ptr<KernelMonitor> kernel_;
  std::unique_ptr<UdevMonitor> udev_;
  UdevPending pending_{false};
  SourceReport report_;
  bool ignore_udevd_ = false;  ///< udevd seems to run, but nothing of it arrives.
  /// Syspath by record name, while the database is followed.
  std::unordered_map<std::string, std::string> records_;
  loop::Subscription timer_;
  loop::Subscription check_;  ///< Liveness check while udevd is busy with pending devices.
};

}  // namespace patchbay::host
