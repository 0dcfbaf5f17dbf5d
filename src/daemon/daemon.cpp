#include "daemon/daemon.h"

#include <utility>

#include "base/log.h"
#include "loop/child_process.h"
#include "loop/may_block.h"

namespace patchbay::daemon {

Daemon::Daemon(loop::EventLoop& loop, loop::Inotify& inotify, Options options)
    : loop_(loop),
      plan_(options.plan),
      threads_(loop),
      step_runner_(health::StepRunner::create(
          loop, inotify, threads_,
          {.root = options.host.root, .environment = loop::child_environment({})})),
      starts_(loop, *step_runner_),
      change_log_(loop),
      files_(loop,
             {.cdi_directory = std::move(options.cdi_directory),
              .device_info_directory = std::move(options.device_info_directory),
              .root = options.host.root},
             [this](inventory::SnapshotPtr snapshot) { plugins_.publish(std::move(snapshot)); }),
      plugins_(loop, inotify, std::move(options.kubelet_directory), answers(options.host.root)),
      devices_(loop, inotify, options.plan,
               {.host = std::move(options.host), .most_checks = options.most_checks},
               [this](const inventory::Resolution& resolution) { on_resolution(resolution); }) {
  for (const rules::ResourcePlanPtr& resource : plan_->resources) {
    publishers_.emplace_back(loop_, resource->settle, [this](inventory::SnapshotPtr snapshot) {
      files_.publish(std::move(snapshot));
    });
  }
}

serve::AnswerContext Daemon::answers(const host::HostRoot& root) {
  return {
      // An answer needs them at once. Nodes are in memory; an optional mount that hangs holds it up.
      .path_exists =
          [root](const std::string& path) {
            const loop::MayBlock may(true);
            return root.exists(path);
          },
      .node_number =
          [root](const std::string& path) {
            const loop::MayBlock may(true);
            return root.node_number(path);
          },
      .devices_changed =
          [&loop = loop_, self = std::weak_ptr(self_)](std::vector<std::string> devices) {
            loop.post([self, devices = std::move(devices)] {
              const auto me = self.lock();
              if (!me) return;
              for (const std::string& device : devices) (*me)->devices_.look_again(device);
            });
          },
      .prepare_start =
          [this](const inventory::SnapshotPtr& snapshot, const std::vector<std::string>& ids,
                 serve::AnswerContext::StartPrepared prepared) {
            starts_.prepare(snapshot, ids, std::move(prepared));
          },
  };
}

Daemon::~Daemon() {
  change_log_.say_unhealthy();  // The line below stays the last one.
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
    files_.start(offered_, [this](const std::vector<inventory::SnapshotPtr>& first) {
      plugins_.start(first);
    });
    return;
  }
  for (size_t i = 0; i < resolution.snapshots.size(); ++i) {
    if (resolution.snapshots[i] == offered_[i]) continue;
    offered_[i] = resolution.snapshots[i];
    publishers_[i].offer(offered_[i]);
  }
}

}  // namespace patchbay::daemon
