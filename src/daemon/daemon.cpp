#include "daemon/daemon.h"

#include <unistd.h>

#include "base/log.h"

namespace patchbay::daemon {

Daemon::Daemon(loop::EventLoop& loop, loop::Inotify& inotify, Options options)
    : loop_(loop),
      plan_(options.plan),
      plugins_(loop, inotify, std::move(options.kubelet_directory),
               [root = options.host.root](const std::string& path) {
                 return access((root + path).c_str(), F_OK) == 0;
               }),
      devices_(loop, inotify, options.plan, std::move(options.host),
               [this](const inventory::Resolution& resolution) { on_resolution(resolution); }) {
  for (const rules::ResourcePlan& resource : plan_->resources) {
    publishers_.emplace_back(loop_, resource.settle, [this](inventory::SnapshotPtr snapshot) {
      plugins_.publish(std::move(snapshot));
    });
  }
}

Daemon::~Daemon() {
  const host::HostCounters counters = devices_.counters();
  log::info("stopping", {{"kernel_events", std::to_string(counters.kernel_events)},
                         {"udev_events", std::to_string(counters.udev_events)},
                         {"database_events", std::to_string(counters.database_events)},
                         {"overflows", std::to_string(counters.overflows)},
                         {"rescans", std::to_string(counters.rescans)},
                         {"reads", std::to_string(counters.reads)}});
}

Result<void> Daemon::start() { return devices_.start(); }

void Daemon::on_resolution(const inventory::Resolution& resolution) {
  change_log_.note(resolution);
  if (!serving_) {
    serving_ = true;
    offered_ = resolution.snapshots;
    plugins_.start(offered_);
    return;
  }
  for (size_t i = 0; i < resolution.snapshots.size(); ++i) {
    if (resolution.snapshots[i] == offered_[i]) continue;
    offered_[i] = resolution.snapshots[i];
    publishers_[i].offer(offered_[i]);
  }
}

}  // namespace patchbay::daemon
