#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "driver/claim_preparer.h"
#include "driver/driver_sockets.h"
#include "driver/kube_client.h"
#include "driver/pool.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "loop/work_queue.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::driver {

/// Serves one DRA driver, for which this process was elected: it registers with the kubelet,
/// prepares ResourceClaims, and publishes the lists of resources as ResourceSlices. Loop thread.
class Driver {
 public:
  struct Options {
    std::string name;          ///< `dra.driver`
    std::string node;          ///< The name of the Node, and of the pool.
    std::string kubelet_root;  ///< Such as "/var/lib/kubelet".
    std::string cdi_directory;
    std::string boot_id;
    paths::HostRoot root;
    KubeClient::Options kube;
  };
  /// The objects outlive the driver.
  struct Environment {
    loop::EventLoop& loop;
    loop::Inotify& inotify;
    loop::BlockingWork& work;
    steps::StepRunner& steps;
    DriverService& service;
  };
  struct State {
    DriverRegistration registration;
    std::string problem;  ///< Why slices are not stored or ResourceClaims not read; empty: none.
    bool stored = false;  ///< The API server has the newest pool.
    std::vector<std::string> dropped;  ///< Fields that the API server did not store.
  };

  /// `acknowledged` is called when acknowledged() of a resource has changed.
  Driver(Environment environment, Options options, rules::PlanPtr plan,
         std::function<void()> acknowledged);
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  /// The slices stay: the next leader takes them over, or the kubelet deletes them.
  ~Driver() = default;

  void set_plan(rules::PlanPtr plan);
  /// Sets the list of a resource.
  void set(const inventory::SnapshotPtr& list);
  void remove(const std::string& resource, std::function<void()> removed) {
    pool_.remove(resource, std::move(removed));
  }
  /// While `on`, nothing is written, because lists of resources are missing.
  void hold(bool on);

  [[nodiscard]] inventory::SnapshotPtr acknowledged(const std::string& resource) const {
    return pool_.acknowledged(resource);
  }
  [[nodiscard]] State state() const;

 private:
  void load();
  void on_loaded(const Result<void>& loaded);
  [[nodiscard]] bool is_registered() const;
  void update_hold();
  void log_api_problem();

  const Environment environment_;
  const Options options_;
  KubeClient kube_;
  Pool pool_;
  ClaimPreparer preparer_;
  std::unique_ptr<DriverSockets> sockets_;  ///< Null until the records are loaded.
  std::string load_failure_;
  loop::Subscription load_retry_;
  std::string api_problem_;
  std::string logged_problem_;
  std::string rejection_;
  std::vector<std::string> dropped_;
  int64_t published_ = 0;
  int64_t stored_ = 0;
  bool held_ = true;
};

}  // namespace patchbay::driver
