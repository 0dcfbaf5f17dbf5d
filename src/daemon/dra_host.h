#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "inventory/snapshot.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "loop/work_queue.h"
#include "paths/host_root.h"
#include "plugin/plugin_host.h"
#include "rules/plan/plan_fwd.h"
#include "status/registration_status.h"
#include "steps/step_runner.h"

namespace patchbay::driver {
class Driver;
class DriverService;
}  // namespace patchbay::driver

namespace patchbay::daemon {

/// The settings of DRA that do not depend on the configuration.
struct DraOptions {
  std::string kubelet_root = "/var/lib/kubelet";
  std::string cdi_directory;
  paths::HostRoot root;
  /// The program patchbay-kube and its options, without the driver and the node.
  std::vector<std::string> kube_command;
};

/// Serves the DRA driver of the active plan, if it has one and this process is its leader. Gets the
/// lists of the resources with `serve: dra` from their DraSinks. Loop thread.
class DraHost {
 public:
  /// The objects outlive it.
  struct Environment {
    loop::EventLoop& loop;
    loop::Inotify& inotify;
    loop::BlockingWork& work;
    steps::StepRunner& steps;
    plugin::PluginHost& plugins;  ///< For the election.
  };

  /// `acknowledged` is called when acknowledged() of a resource has changed.
  DraHost(Environment environment, DraOptions options, std::function<void()> acknowledged);
  DraHost(const DraHost&) = delete;
  DraHost& operator=(const DraHost&) = delete;
  ~DraHost();

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
  /// The state of the driver, which is that of a resource after set().
  [[nodiscard]] status::RegistrationStatus status() const;

 private:
  void elected();
  /// The resources with `serve: dra` for which neither set() nor leave_out() was called.
  [[nodiscard]] std::vector<std::string> missing() const;
  void update_hold();
  void finish_removal(const std::string& resource);

  const Environment environment_;
  const DraOptions options_;
  const std::function<void()> on_acknowledged_;
  rules::PlanPtr plan_;
  std::string name_;  ///< The driver's name; empty: there was none yet.
  std::string node_;
  std::map<std::string, inventory::SnapshotPtr> lists_;
  std::set<std::string> left_out_;
  std::map<std::string, loop::Task> removing_;  ///< By resource.
  std::vector<loop::Task> removed_;             ///< Calls that follow at once.
  loop::Subscription calling_removed_;
  std::unique_ptr<driver::DriverService> service_;
  std::unique_ptr<driver::Driver> driver_;  ///< Null: not the leader, or no driver.
  loop::Time since_;                        ///< Start of the standby or of the driver.
};

}  // namespace patchbay::daemon
