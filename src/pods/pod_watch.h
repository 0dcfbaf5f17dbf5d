#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "loop/event_loop.h"
#include "loop/work_queue.h"
#include "pods/allocation_tracker.h"
#include "pods/pod_resources.h"
#include "status/pod_resources_status.h"

namespace patchbay::pods {

/// Decides when to query the kubelet for assignments. After our Allocate it queries twice: after 1
/// s, when the Pod may be active, and after 10 s, when it is. Readers cause at most one query in 15
/// s. Otherwise there is no timer. Loop thread.
class QuerySchedule {
 public:
  static constexpr loop::Milliseconds kFirstDelay{1000};
  static constexpr loop::Milliseconds kSecondDelay{10'000};
  static constexpr loop::Milliseconds kMinInterval{15'000};

  /// `query` is called from a timer.
  QuerySchedule(loop::EventLoop& loop, loop::Task query) : loop_(loop), query_(std::move(query)) {}

  /// An Allocate was answered. Those within one second cause one query.
  void allocated();
  /// A query started, for any reason.
  void query_started() { last_query_ = loop_.now(); }
  /// Whether a reader's request should cause a query.
  [[nodiscard]] bool is_due() const {
    return !last_query_ || loop_.now() - *last_query_ >= kMinInterval;
  }

 private:
  loop::EventLoop& loop_;
  loop::Task query_;
  std::optional<loop::Time> last_query_;
  bool soon_set_ = false;
  loop::Subscription soon_;
  loop::Subscription later_;
};

/// Keeps the assignments of our resources' devices to Pods, as the kubelet reports them. Calls are
/// made on a work thread; only a reader's request waits for them, up to kRefreshTimeout. If the
/// kubelet does not answer, the last known state stays. Loop thread.
class PodWatch {
 public:
  /// Maximum wait of refresh().
  static constexpr loop::Milliseconds kRefreshTimeout{500};
  /// A call that takes longer is hung: its own deadline is much shorter.
  static constexpr loop::Milliseconds kCallTimeout{6000};

  /// `path` is the path of the socket, for people. `work` outlives it. `offered` returns the
  /// resources to query.
  PodWatch(loop::EventLoop& loop, loop::BlockingWork& work, std::string path,
           std::shared_ptr<PodResources> kubelet, std::function<ResourceNames()> offered);
  PodWatch(const PodWatch&) = delete;
  PodWatch& operator=(const PodWatch&) = delete;
  /// Cancels a call in progress.
  ~PodWatch();

  /// Records an Allocate of these devices of the kubelet.
  void allocated(const std::string& resource, const std::vector<std::string>& devices,
                 loop::Time at);
  /// Success: the state answers a query that began after refresh(). Otherwise it is older, or
  /// empty, and the error says why.
  using Refreshed = std::move_only_function<void(const Result<void>& newer)>;
  /// Requests a recent state for a reader; with `newest`, one that is newer than this call. `done`
  /// is called once, at once or after the kubelet's answer or kRefreshTimeout; never after this
  /// object was destroyed.
  void refresh(Refreshed done, bool newest = false);
  /// Queries soon, as after an Allocate: another process may have answered one.
  void refresh_soon() { schedule_.allocated(); }
  [[nodiscard]] status::PodResourcesStatusPtr status() const;
  /// The assignments, with those of our Allocates; null before the kubelet's first answer.
  [[nodiscard]] std::shared_ptr<const status::AssignmentsByResource> assignments() const {
    return status_.answered ? tracker_.all() : nullptr;
  }

 private:
  /// A waiting refresh(), and its timeout.
  struct Waiting {
    Refreshed done;
    uint64_t query = 0;  ///< Number of the first query that began after it.
    loop::Subscription timer;
  };

  void query();
  void query_ended(loop::WorkOutcome how, const ListOutcome& outcome, loop::Time at);
  void log_outcome(ListOutcome::Kind kind, std::string reason);
  void finish_waiting();

  loop::EventLoop& loop_;
  loop::BlockingWork& work_;
  std::string path_;
  std::shared_ptr<PodResources> kubelet_;
  std::function<ResourceNames()> offered_;
  QuerySchedule schedule_;
  AllocationTracker tracker_;
  status::PodResourcesStatus status_;  ///< Without the devices.
  uint64_t queries_ = 0;               ///< Number of the last query.
  bool querying_ = false;
  bool again_ = false;  ///< An Allocate came during the query: repeat it.
  uint64_t next_waiting_ = 0;
  std::map<uint64_t, Waiting> waiting_;
  loop::Subscription call_;
};

}  // namespace patchbay::pods
