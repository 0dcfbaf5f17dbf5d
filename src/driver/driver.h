#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/call_queue.h"
#include "driver/driver_sockets.h"
#include "driver/kube_client.h"
#include "driver/pool.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "loop/work_queue.h"
#include "rules/plan/plan_fwd.h"
#include "status/counters.h"

namespace patchbay::driver {

/// Serves one DRA driver, for which this process was elected. It registers with the kubelet, and
/// passes the kubelet's calls on. It publishes the lists of resources as ResourceSlices. A driver
/// that the configuration does not have drains: it has no slice, and stays registered until its
/// ResourceClaims have ended. Loop thread.
class Driver {
 public:
  struct Options {
    std::string name;          ///< `dra.driver`
    std::string kubelet_root;  ///< Such as "/var/lib/kubelet".
    KubeClient::Options kube;
  };
  /// The objects outlive the driver.
  struct Environment {
    loop::EventLoop& loop;
    loop::Inotify& inotify;
    loop::BlockingWork& work;  ///< Starts patchbay-kube.
    DriverService& service;
    CallQueue& calls;  ///< Gets the calls of the kubelet.
    status::Counters& counters;
  };
  struct Callbacks {
    /// acknowledged() or is_withdrawn() may have changed.
    std::function<void()> acknowledged;
    /// The DRA devices of the driver's ResourceClaims.
    std::function<std::vector<const RecordedDevice*>()> prepared;
  };
  struct State {
    DriverRegistration registration;
    std::string api_problem;           ///< Why the API server cannot be reached; empty: it can.
    std::string rejection;             ///< Why it rejected the slices; empty: it did not.
    bool stored = false;               ///< The API server has the newest pool.
    std::vector<std::string> dropped;  ///< Fields that the API server did not store.
  };

  /// Null `plan`: the driver drains.
  Driver(Environment environment, Options options, rules::PlanPtr plan, Callbacks callbacks);
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  /// The slices stay: the next leader takes them over, or the kubelet deletes them.
  ~Driver() = default;

  /// Deletes the slices. Callbacks of remove() are not called any more.
  void drain();
  /// Ends drain(): publishes a new pool for the plan, without lists.
  void serve(rules::PlanPtr plan);
  [[nodiscard]] bool is_draining() const { return !pool_; }
  /// While it drains: whether the API server has no slice of the driver. If the kubelet rejects the
  /// driver, it deletes them.
  [[nodiscard]] bool is_withdrawn() const { return stored_ == published_ || is_rejected(); }

  // For a driver that does not drain.
  void set_plan(rules::PlanPtr plan) { pool_->set_plan(std::move(plan)); }
  /// Sets the list of a resource.
  void set(const inventory::SnapshotPtr& list) { pool_->set(list); }
  void remove(const std::string& resource, std::function<void()> removed) {
    pool_->remove(resource, std::move(removed));
  }
  /// While `on`, nothing is written, because lists of resources are missing.
  void hold(bool on);
  /// The result of Callbacks::prepared has changed.
  void claims_changed() {
    if (pool_) pool_->claims_changed();
  }
  [[nodiscard]] inventory::SnapshotPtr acknowledged(const std::string& resource) const {
    return pool_ ? pool_->acknowledged(resource) : nullptr;
  }
  /// The unit of a DRA device, also of one that is not published; null without one.
  [[nodiscard]] std::optional<ClaimUnit> find(std::string_view device) const {
    return pool_ ? pool_->find(device) : std::nullopt;
  }

  /// See KubeClient.
  void get_claim(const ResourceClaimName& claim, KubeClient::GotClaim done) {
    kube_.get_claim(claim.namespace_name, claim.name, std::move(done));
  }
  [[nodiscard]] State state() const;

 private:
  [[nodiscard]] KubeEvents kube_events();
  int64_t publish(PoolSlices slices);
  [[nodiscard]] bool is_registered() const;
  [[nodiscard]] bool is_rejected() const {
    return sockets_.registration().state == DriverRegistration::State::rejected;
  }
  void update_hold();
  void log_api_problem();

  loop::EventLoop& loop_;
  const Options options_;
  const Callbacks callbacks_;
  status::Counters& counters_;
  KubeClient kube_;
  std::optional<Pool> pool_;  ///< Nullopt: draining.
  DriverSockets sockets_;
  std::string api_problem_;
  std::string logged_problem_;
  std::string rejection_;
  std::vector<std::string> dropped_;
  int64_t published_ = 0;
  int64_t stored_ = 0;
  bool held_ = true;
};

}  // namespace patchbay::driver
