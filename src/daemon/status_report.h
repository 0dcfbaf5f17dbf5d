#pragma once

#include <functional>
#include <vector>

#include "daemon/daemon.h"
#include "loop/event_loop.h"
#include "loop/work_queue.h"
#include "paths/host_root.h"
#include "status/node_status.h"

namespace patchbay::daemon {

/// Builds the status on request, so that it costs nothing while unused. Made and destroyed on the
/// loop's thread; requests come from any thread.
class StatusReport final : public status::StatusSource {
 public:
  /// `configuration` is called on the loop's thread. All arguments outlive this object. `root` is
  /// prefixed to the paths that are read for request_unmatched().
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
  /// One comparison at a time answers all waiting requests.
  std::vector<std::function<void(status::UnmatchedReportPtr)>> waiting_;
  loop::Subscription comparison_;
};

}  // namespace patchbay::daemon
