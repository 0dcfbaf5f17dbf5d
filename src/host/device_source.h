#pragma once

#include <memory>

#include "host/facts/device_list.h"
#include "host/facts/nonblocking_sysfs.h"
#include "host/hints.h"
#include "host/host_listener.h"
#include "host/targets.h"
#include "host/unresponsive_reads.h"
#include "loop/event_loop.h"
#include "loop/weak_self.h"

namespace patchbay::host {

/// Lists the kernel devices of the query's subsystems on a work thread, one listing at a time.
/// Their events are received by UdevSource. Loop thread.
class DeviceSource {
 public:
  /// Each listing updates `sysfs`, the files that may be read without blocking. References outlive
  /// this.
  DeviceSource(loop::EventLoop& loop, DeviceTree tree, HostQueryPtr query,
               std::shared_ptr<NonblockingSysfs> sysfs, const Targets& targets, Hints& hints,
               UnresponsiveReads& unresponsive, HostListener& listener);

  /// Lists the devices. `listed` is called when everything found has been hinted.
  void start(loop::Task listed);
  /// Lists again; everything listed is read.
  void rescan();

 private:
  void apply(DeviceScan scan);

  loop::EventLoop& loop_;
  DeviceTree tree_;
  HostQueryPtr query_;
  std::shared_ptr<NonblockingSysfs> sysfs_;
  const Targets& targets_;
  Hints& hints_;
  UnresponsiveReads& unresponsive_;
  HostListener& listener_;
  bool listing_ = false;
  bool again_ = false;  ///< A rescan was requested during a listing.
  loop::Task on_listed_;
  loop::WeakSelf<DeviceSource> weak_self_{this};
};

}  // namespace patchbay::host
