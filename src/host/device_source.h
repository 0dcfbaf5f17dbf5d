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
/// UdevSource receives the events of these devices. Loop thread.
class DeviceSource {
 public:
  /// Each listing updates `sysfs`, which serves nonblocking reads. References must outlive this.
  DeviceSource(loop::EventLoop& loop, DeviceTree tree, HostQueryPtr query,
               std::shared_ptr<NonblockingSysfs> sysfs, const Targets& targets, Hints& hints,
               UnresponsiveReads& unresponsive, HostListener& listener);

  /// Lists the devices. `listed` is called after all found devices were passed to Hints.
  void start(loop::Task listed);
  /// Lists again, and requests a read of each device that is listed now or was reported before.
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
