#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "loop/blocking_work.h"
#include "loop/event_loop.h"
#include "observe/pod_resources_status.h"
#include "pods/allocation_tracker.h"
#include "pods/pod_resources.h"
#include "pods/query_schedule.h"

namespace patchbay::pods {

/// Knows who holds the kubelet's devices of our resources, as far as the kubelet tells it. Calls
/// are made on a work thread; nothing waits for them but who looks, and that not for long. What was
/// known last stays when the kubelet does not answer. Loop thread.
class PodWatch {
 public:
  /// Who looks waits so long for an answer.
  static constexpr loop::Milliseconds kRefreshTimeout{500};
  /// After that a call hangs: its own deadline has passed long before.
  static constexpr loop::Milliseconds kCallTimeout{6000};

  /// `path` is the socket's, for people. `work` outlives it; `offered` tells of which resources the
  /// kubelet is asked.
  PodWatch(loop::EventLoop& loop, loop::BlockingWork& work, std::string path,
           std::shared_ptr<PodResources> kubelet, std::function<ResourceNames()> offered);
  PodWatch(const PodWatch&) = delete;
  PodWatch& operator=(const PodWatch&) = delete;
  /// Ends a call that is under way.
  ~PodWatch();

  /// Allocate has given these of the kubelet's devices away.
  void allocated(const std::string& resource, const std::vector<std::string>& devices,
                 loop::Time at);
  /// Somebody looks: `done` is called once, at once or when the kubelet has answered, or has not
  /// for a while; not any more when this object has gone.
  void refresh(loop::Task done);
  [[nodiscard]] observe::PodResourcesStatusPtr status() const;

 private:
  /// Who looks, and how long it waits.
  struct Waiting {
    loop::Task done;
    loop::Subscription timer;
  };

  void query();
  void query_ended(loop::WorkOutcome how, const ListOutcome& outcome, loop::Time at);
  void log_outcome(ListOutcome::Kind kind, std::string reason);
  void finish_waiting(uint64_t waiting);

  loop::EventLoop& loop_;
  loop::BlockingWork& work_;
  std::string path_;
  std::shared_ptr<PodResources> kubelet_;
  std::function<ResourceNames()> offered_;
  QuerySchedule schedule_;
  AllocationTracker tracker_;
  observe::PodResourcesStatus status_;  ///< But for the devices.
  bool querying_ = false;
  bool again_ = false;  ///< When that has ended: there was an Allocate since it began.
  uint64_t next_waiting_ = 0;
  std::map<uint64_t, Waiting> waiting_;
  loop::Subscription call_;
};

}  // namespace patchbay::pods
