#pragma once

#include <functional>
#include <vector>

#include "daemon/daemon.h"
#include "loop/event_loop.h"
#include "loop/work_queue.h"
#include "paths/host_root.h"
#include "status/node_status.h"

namespace patchbay::daemon {

/// Answers requests for the daemon's status, such as those of `patchbay status` and of the metrics.
/// It builds the status for each request. The object is made and destroyed on the loop thread;
/// requests may come from any thread.
class StatusReport final : public status::StatusSource {
 public:
  /// `configuration` is called on the loop thread. `root` is the root of the host's files, which
  /// request_unmatched() reads. `loop` and `daemon` outlive this object.
  StatusReport(loop::EventLoop& loop, Daemon& daemon, status::ProgramStatus program,
               std::function<status::ConfigurationStatus()> configuration, paths::HostRoot root);

  void request_status(status::StatusRequest request,
                      std::function<void(status::NodeStatusPtr)> done) override;
  void request_unmatched(std::function<void(status::UnmatchedReportPtr)> done) override;
  void check_liveness(std::function<void()> done) override;

 private:
  [[nodiscard]] status::NodeStatusPtr make(const status::StatusRequest& request) const;

  loop::EventLoop& loop_;
  Daemon& daemon_;
  status::ProgramStatus program_;
  std::function<status::ConfigurationStatus()> configuration_;
  WallClock clock_ = WallClock::now();
  paths::HostRoot root_;
  loop::WorkQueue queue_;
  /// Requests for unmatched groups. One search of the host answers all of them.
  std::vector<std::function<void(status::UnmatchedReportPtr)>> waiting_;
  loop::Subscription comparison_;
};

}  // namespace patchbay::daemon
