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
  void request_machine(std::function<void(status::NodeStatusPtr, NodeHardwarePtr)> done) override;
  void request_unmatched(std::function<void(status::UnmatchedReportPtr)> done) override;
  void check_liveness(std::function<void()> done) override;

 private:
  [[nodiscard]] status::NodeStatusPtr make(const status::StatusRequest& request) const;

  template <typename T>
  using Callback = std::function<void(std::shared_ptr<const T>)>;
  /// A read of the host on a work thread. One read at a time answers all waiting requests.
  template <typename T>
  struct HostRead {
    std::vector<Callback<T>> waiting{};
    loop::Subscription job{};
  };
  /// `start` returns the function that fills a T on the work thread. It is called for the first
  /// waiting request, on the loop's thread.
  template <typename T>
  void read_host(HostRead<T>& read, const char* subject, Callback<T> done,
                 std::function<std::function<void(T&)>()> start);

  loop::EventLoop& loop_;
  Daemon& daemon_;
  status::ProgramStatus program_;
  std::function<status::ConfigurationStatus()> configuration_;
  WallClock clock_ = WallClock::now();
  paths::HostRoot root_;
  loop::WorkQueue queue_;
  HostRead<NodeHardware> machine_;
  HostRead<status::UnmatchedReport> unmatched_;
};

}  // namespace patchbay::daemon
