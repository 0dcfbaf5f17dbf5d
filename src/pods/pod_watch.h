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

/// Decides when to ask the kubelet which container has which device. An Allocate causes two
/// queries: after 1 s, when its Pod may be active, and after 10 s, when the Pod is active. Status
/// requests cause at most one query in 15 s. Without Allocates no timer runs. Loop thread.
class QuerySchedule {
 public:
  static constexpr loop::Milliseconds kFirstDelay{1000};
  static constexpr loop::Milliseconds kSecondDelay{10'000};
  static constexpr loop::Milliseconds kMinInterval{15'000};

  /// `query` is called from a timer.
  QuerySchedule(loop::EventLoop& loop, loop::Task query) : loop_(loop), query_(std::move(query)) {}

  /// Called after each Allocate. Allocates within one second cause one first query. The second
  /// query follows the last Allocate.
  void allocated();
  /// Called when a query starts, for any reason.
  void query_started() { last_query_ = loop_.now(); }
  /// Whether a status request should cause a query.
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

/// Keeps the assignments of our resources' devices to containers, as the kubelet reports them. The
/// kubelet is called on a work thread. Only a status request waits for the call, at most
/// kRefreshTimeout. If the kubelet does not answer, the last known state stays. Loop thread.
class PodWatch {
 public:
  /// Maximum wait of refresh().
  static constexpr loop::Milliseconds kRefreshTimeout{500};
  /// A call that takes longer hangs, because its own deadline, PodResources::kTimeout, is shorter.
  static constexpr loop::Milliseconds kCallTimeout{6000};

  /// `path` is the path of the socket, for messages. `work` outlives this object. `offered` returns
  /// the resources to query.
  PodWatch(loop::EventLoop& loop, loop::BlockingWork& work, std::string path,
           std::shared_ptr<PodResources> kubelet, std::function<ResourceNames()> offered);
  PodWatch(const PodWatch&) = delete;
  PodWatch& operator=(const PodWatch&) = delete;
  /// Cancels a call in progress.
  ~PodWatch();

  /// Records an Allocate of these devices of the kubelet.
  void allocated(const std::string& resource, const std::vector<std::string>& devices,
                 loop::Time at);
  /// `newer` is a success if the state is from a query that began after refresh() was called.
  /// Otherwise its error says why the state is older or empty.
  using Refreshed = std::move_only_function<void(const Result<void>& newer)>;
  /// Starts a query unless the last one is recent; with `newest`, always. Calls `done` once:
  /// immediately if no query is in progress, else after the answer or kRefreshTimeout. Never calls
  /// `done` after this object was destroyed.
  void refresh(Refreshed done, bool newest = false);
  /// Schedules the same queries as after an Allocate, because another process may have answered an
  /// Allocate.
  void refresh_soon() { schedule_.allocated(); }
  [[nodiscard]] status::PodResourcesStatusPtr status() const;
  /// The assignments and our recent Allocates. Null before the kubelet's first answer.
  [[nodiscard]] std::shared_ptr<const status::AssignmentsByResource> assignments() const {
    return status_.answered ? tracker_.all() : nullptr;
  }

  /// The DRA devices of Pods in the kubelet's last answer.
  [[nodiscard]] const std::vector<PodClaimDevice>& claims() const { return claims_; }

 private:
  /// A waiting refresh(), and its timeout.
  struct Waiting {
    Refreshed done;
    uint64_t query = 0;  ///< Number of the first query that begins after the call of refresh().
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
  std::vector<PodClaimDevice> claims_;
  status::PodResourcesStatus status_;  ///< Without the devices.
  uint64_t queries_ = 0;               ///< Number of the last query.
  bool querying_ = false;
  bool again_ = false;  ///< Another query was requested during the current one.
  uint64_t next_waiting_ = 0;
  std::map<uint64_t, Waiting> waiting_;
  loop::Subscription call_;
};

}  // namespace patchbay::pods
