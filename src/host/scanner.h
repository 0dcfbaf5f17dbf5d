#pragma once

#include <string>
#include <utility>

#include "host/device_source.h"
#include "host/glob_source.h"
#include "host/hints.h"
#include "host/host_listener.h"
#include "host/refresher.h"
#include "host/sysfs_source.h"
#include "host/unresponsive_reads.h"
#include "loop/event_loop.h"
#include "loop/weak_self.h"
#include "model/event_counts.h"
#include "paths/path_follower.h"

namespace patchbay::host {

/// Lists and reads all entities: at the start, after lost events, and periodically. Loop thread.
class Scanner final : public RescanRequests {
 public:
  /// The objects that the Scanner uses. They must outlive it.
  struct Uses {
    HostQueryPtr query;
    Refresher& refresher;
    GlobSource& globs;
    SysfsSource& sysfs;
    DeviceSource& devices;
    paths::PathFollower* paths;  ///< Null if events are not followed.
    UnresponsiveReads& unresponsive;
    HostListener& listener;
    EventCounts& counts;
  };

  Scanner(loop::EventLoop& loop, Uses uses) : loop_(loop), uses_(std::move(uses)) {}

  /// Begins the first scan, after which HostListener::first_scan_done() is called. `period` is the
  /// time between rescans; 0 means no rescans.
  void start(loop::Milliseconds period);
  void events_lost(const std::string& source) override;
  /// Begins a rescan in the next loop iteration.
  void rescan(const std::string& reason) override;

 private:
  void begin_rescan();
  void scan_static_names();
  void listing_done();

  loop::EventLoop& loop_;
  Uses uses_;
  loop::Subscription period_;
  bool rescan_requested_ = false;
  int pending_listings_ = 0;  ///< Running listings of the first scan.
  bool first_scan_done_ = false;
  loop::WeakSelf<Scanner> weak_self_{this};
};

}  // namespace patchbay::host
