#include "host/device_source.h"

#include <utility>

namespace patchbay::host {

DeviceSource::DeviceSource(loop::EventLoop& loop, DeviceTree tree, HostQueryPtr query,
                           std::shared_ptr<NonblockingSysfs> sysfs, const Targets& targets,
                           Hints& hints, UnresponsiveReads& unresponsive, HostListener& listener)
    : loop_(loop),
      tree_(std::move(tree)),
      query_(std::move(query)),
      sysfs_(std::move(sysfs)),
      targets_(targets),
      hints_(hints),
      unresponsive_(unresponsive),
      listener_(listener) {}

void DeviceSource::start(loop::Task listed) {
  on_listed_ = std::move(listed);
  rescan();
}

void DeviceSource::rescan() {
  if (std::exchange(listing_, true)) {
    again_ = true;
    return;
  }
  const auto scan = std::make_shared<DeviceScan>();
  scan->reported = hints_.reported_below("/sys");
  loop_.work(
      [scan, tree = tree_, query = query_, sysfs = sysfs_] {
        sysfs->learn();
        scan->list(tree, query->subsystems);
      },
      weak_self_.guard([scan](DeviceSource& source) { source.apply(std::move(*scan)); }));
}

void DeviceSource::apply(DeviceScan scan) {
  listing_ = false;
  if (scan.exhaustion_errno != 0) {
    return unresponsive_.listing_refused(kDeviceTree, {}, scan.exhaustion_errno,
                                         weak_self_.guard(&DeviceSource::rescan));
  }
  unresponsive_.listed(kDeviceTree);
  listener_.nodes_online(scan.nodes_online);
  for (const std::string& key : scan.missing) {
    // A directory that only a sysfs pattern finds is never listed by subsystem.
    if (!targets_.sysfs_finds(key)) hints_.refresh(key);
  }
  hints_.scan(std::move(scan.unknown), ReadReason::found);
  hints_.scan(std::move(scan.reported), ReadReason::rescan);
  if (on_listed_) std::exchange(on_listed_, nullptr)();
  if (std::exchange(again_, false)) rescan();
}

}  // namespace patchbay::host
