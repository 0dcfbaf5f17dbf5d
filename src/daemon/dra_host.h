#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "driver/call_queue.h"
#include "driver/claim_preparer.h"
#include "driver/claim_reconciler.h"
#include "inventory/held_devices.h"
#include "inventory/snapshot.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "loop/work_queue.h"
#include "paths/host_root.h"
#include "plugin/plugin_host.h"
#include "pods/pod_watch.h"
#include "rules/plan/plan_fwd.h"
#include "status/counters.h"
#include "status/dra_status.h"
#include "status/registration_status.h"
#include "steps/step_runner.h"

namespace patchbay::driver {
class Driver;
class DriverService;
}  // namespace patchbay::driver

namespace patchbay::daemon {

/// The settings of DRA that do not depend on the configuration.
struct DraOptions {
  std::string node;  ///< The name of this node, and of the pools.
  std::string kubelet_root = "/var/lib/kubelet";
  std::string cdi_directory;
  paths::HostRoot root;
  /// The program patchbay-kube and its options, without the driver and the node.
  std::vector<std::string> kube_command;
  loop::Milliseconds check_period = driver::ClaimReconciler::kPeriod;
};

/// Serves the DRA driver of the active plan, and former drivers that still have ResourceClaims on
/// this node. Each is served by the process that is its leader. Gets the lists of the resources
/// with `serve: dra` from their DraSinks. Loop thread.
class DraHost {
 public:
  /// The objects outlive it.
  struct Environment {
    loop::EventLoop& loop;
    loop::Inotify& inotify;
    loop::BlockingWork& work;
    steps::StepRunner& steps;
    plugin::PluginHost& plugins;  ///< For the election.
    pods::PodWatch* pods;         ///< Null: the kubelet is not queried.
    status::Counters& counters;
  };
  struct Callbacks {
    /// acknowledged() of a resource has changed.
    std::function<void()> acknowledged;
    /// held_units() may have changed.
    std::function<void()> claims_changed;
  };

  DraHost(Environment environment, DraOptions options, Callbacks callbacks);
  DraHost(const DraHost&) = delete;
  DraHost& operator=(const DraHost&) = delete;
  ~DraHost();

  /// Reads the records of earlier runs, once. `done` is called once, later, also if they cannot be
  /// read. Then no driver is served. If the plan has a driver, they are read again until they can
  /// be.
  void load(loop::Task done);

  /// Call it before the lists of the plan are published.
  void set_plan(const rules::PlanPtr& plan);
  void set(const inventory::SnapshotPtr& list);
  /// Pods have units of the resource by the device plugin: the pool is published without it.
  void leave_out(const std::string& resource);
  /// `removed` is called once, later, when no stored slice has a device of the resource.
  void remove(const std::string& resource, loop::Task removed);
  /// Closes all sockets. The slices stay.
  void end();

  [[nodiscard]] inventory::SnapshotPtr acknowledged(const std::string& resource) const;
  /// The units of ResourceClaims, for a plan: see driver::held_units().
  [[nodiscard]] std::vector<inventory::HeldUnit> held_units(const rules::Plan& plan) const;
  /// The state of the plan's driver, which is that of a resource after set().
  [[nodiscard]] status::RegistrationStatus status() const;
  /// All drivers, that of the plan first.
  [[nodiscard]] std::vector<status::DraDriver> drivers() const;

 private:
  /// A driver of the plan or of a record.
  struct Candidate {
    std::unique_ptr<driver::Driver> driver{};  ///< Null: not the leader.
    loop::Time since{};                        ///< Start of the standby or of the driver.
    loop::Subscription load_retry{};
  };

  [[nodiscard]] driver::ClaimPreparer::Callbacks preparer_callbacks();
  [[nodiscard]] driver::ClaimReconciler::Callbacks reconciler_callbacks();
  void retry_load();
  void get_claim(const driver::ResourceClaimName& claim, driver::KubeClient::GotClaim done);
  void update_soon();
  void log_conflicts();
  void update();
  void elected(const std::string& name);
  void start_driver(const std::string& name);
  [[nodiscard]] bool has_claims(const std::string& driver) const;
  void update_served();
  [[nodiscard]] driver::Driver* active() const;
  [[nodiscard]] driver::Driver* served(const std::string& name) const;
  /// The resources with `serve: dra` for which neither set() nor leave_out() was called.
  [[nodiscard]] std::vector<std::string> missing() const;
  /// Whether slices can have devices of a driver that drains.
  [[nodiscard]] bool is_withdrawing() const;
  void update_hold();
  void finish_removal(const std::string& resource);

  const Environment environment_;
  const DraOptions options_;
  const Callbacks callbacks_;
  const std::string boot_id_;
  rules::PlanPtr plan_;
  std::string name_;  ///< The plan's driver; empty: no resource has `serve: dra`.
  std::map<std::string, inventory::SnapshotPtr> lists_;
  std::set<std::string> left_out_;
  std::map<std::string, loop::Task> removing_;          ///< By resource.
  std::map<std::string, loop::Task> waiting_removals_;  ///< Calls of remove() that wait for
                                                        ///< is_withdrawing().
  std::vector<loop::Task> removed_;                     ///< Calls that follow at once.
  loop::Subscription calling_removed_;
  bool loaded_ = false;
  std::string load_failure_;  ///< Why the records cannot be read.
  std::string logged_failure_;
  loop::Subscription load_retry_;
  loop::Subscription updating_;
  bool claims_changed_ = false;
  std::set<std::string> conflicts_;  ///< The logged ones.
  loop::Time started_;
  driver::ClaimPreparer preparer_;
  driver::CallQueue calls_;
  driver::ClaimReconciler reconciler_;
  std::unique_ptr<driver::DriverService> service_;
  std::map<std::string, Candidate> candidates_;  ///< By name.
};

}  // namespace patchbay::daemon
