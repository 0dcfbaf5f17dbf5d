#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "daemon/change_log.h"
#include "daemon/container_starts.h"
#include "daemon/device_watch.h"
#include "daemon/publisher.h"
#include "daemon/unit_files.h"
#include "health/step_runner.h"
#include "host/host.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "loop/work_threads.h"
#include "rules/plan.h"
#include "serve/plugin_host.h"

namespace patchbay::daemon {

/// The daemon: what the host has, through the plan, to the kubelet. Loop thread.
class Daemon {
 public:
  struct Options {
    rules::PlanPtr plan;
    std::string kubelet_directory;
    std::string cdi_directory;
    std::string device_info_directory;
    host::HostOptions host;
    size_t most_checks = health::Monitor::kMostChecks;  ///< At once.
  };

  Daemon(loop::EventLoop& loop, loop::Inotify& inotify, Options options);
  /// Ends all streams, closes all sockets, logs what happened to the event sources.
  ~Daemon();

  /// Begins to look at the host; registers each resource with all that is known after the first
  /// look.
  Result<void> start();

 private:
  void on_resolution(const inventory::Resolution& resolution);

  [[nodiscard]] serve::AnswerContext answers(const host::HostRoot& root);

  loop::EventLoop& loop_;
  rules::PlanPtr plan_;
  /// Expires with this object: what gRPC's thread posts is then dropped.
  std::shared_ptr<Daemon*> self_ = std::make_shared<Daemon*>(this);
  /// Not those of the probes: no container waits for what hangs there.
  loop::WorkThreads threads_;
  std::unique_ptr<health::StepRunner> step_runner_;
  ContainerStarts starts_;
  ChangeLog change_log_;
  std::vector<inventory::SnapshotPtr> offered_;  ///< The last offered, by resource.
  bool serving_ = false;
  UnitFiles files_;
  serve::PluginHost plugins_;
  std::deque<Publisher> publishers_;  ///< By resource.
  DeviceWatch devices_;
};

}  // namespace patchbay::daemon
