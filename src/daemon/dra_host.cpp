#include "daemon/dra_host.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "base/text.h"
#include "driver/driver.h"
#include "driver/driver_service.h"
#include "loop/child_process.h"
#include "rpc/endpoint_name.h"
#include "rules/plan/plan.h"

namespace patchbay::daemon {
namespace {

/// A file of the kernel, in memory.
std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id;
}

bool is_dra(const rules::ResourcePlanPtr& resource) {
  return resource->serve == config::Serve::dra;
}

status::RegistrationStatus::State state_of(const driver::Driver::State& driver) {
  using State = status::RegistrationStatus::State;
  using Registration = driver::DriverRegistration::State;
  switch (driver.registration.state) {
    case Registration::no_socket:
      return State::no_kubelet;
    case Registration::waiting:
      return State::registering;
    case Registration::rejected:
    case Registration::disconnected:
      return State::backing_off;
    case Registration::registered:
      break;
  }
  return driver.stored ? State::registered : State::not_published;
}

}  // namespace

DraHost::DraHost(Environment environment, DraOptions options, std::function<void()> acknowledged)
    : environment_(environment),
      options_(std::move(options)),
      on_acknowledged_(std::move(acknowledged)),
      since_(environment_.loop.now()) {}

DraHost::~DraHost() = default;

void DraHost::set_plan(const rules::PlanPtr& plan) {
  plan_ = plan;
  const auto dra = std::ranges::find_if(plan->resources, is_dra);
  if (dra == plan->resources.end() || plan->driver == name_) {
    // Without a resource, the driver publishes an empty pool, and ResourceClaims can still end.
    if (driver_) driver_->set_plan(plan);
    return update_hold();
  }
  driver_.reset();
  while (!removing_.empty()) finish_removal(removing_.begin()->first);
  if (!name_.empty()) environment_.plugins.resign(name_);
  name_ = plan->driver;
  node_ = (*dra)->node;
  since_ = environment_.loop.now();
  environment_.plugins.campaign(name_, [this] { elected(); });
}

void DraHost::elected() {
  if (!service_) {
    service_ = std::make_unique<driver::DriverService>(environment_.loop, rpc::make_start_id());
  }
  std::vector<std::string> command = options_.kube_command;
  command.insert(command.end(), {"--driver", name_, "--node", node_});
  since_ = environment_.loop.now();
  driver_ = std::make_unique<driver::Driver>(
      driver::Driver::Environment{.loop = environment_.loop,
                                  .inotify = environment_.inotify,
                                  .work = environment_.work,
                                  .steps = environment_.steps,
                                  .service = *service_},
      driver::Driver::Options{
          .name = name_,
          .node = node_,
          .kubelet_root = options_.kubelet_root,
          .cdi_directory = options_.cdi_directory,
          .boot_id = boot_id(),
          .root = options_.root,
          .kube = {.command = std::move(command),
                   .environment = loop::child_environment(
                       {"KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"})}},
      plan_, on_acknowledged_);
  for (const auto& [resource, list] : lists_) driver_->set(list);
  update_hold();
}

std::vector<std::string> DraHost::missing() const {
  std::vector<std::string> missing;
  for (const auto& resource : plan_->resources) {
    const bool known = lists_.contains(resource->name) || left_out_.contains(resource->name);
    if (is_dra(resource) && !known) missing.push_back(resource->name);
  }
  return missing;
}

/// Nothing is written while a resource is missing: its stored devices, which Pods may have, would
/// vanish.
void DraHost::update_hold() {
  if (driver_) driver_->hold(!missing().empty());
}

void DraHost::set(const inventory::SnapshotPtr& list) {
  left_out_.erase(list->resource->name);
  lists_[list->resource->name] = list;
  if (driver_) driver_->set(list);
  update_hold();
}

void DraHost::leave_out(const std::string& resource) {
  left_out_.insert(resource);
  update_hold();
}

void DraHost::remove(const std::string& resource, loop::Task removed) {
  lists_.erase(resource);
  left_out_.erase(resource);
  removing_[resource] = std::move(removed);
  if (!driver_) return finish_removal(resource);
  driver_->remove(resource, [this, resource] { finish_removal(resource); });
}

void DraHost::finish_removal(const std::string& resource) {
  removed_.push_back(std::move(removing_.extract(resource).mapped()));
  if (calling_removed_) return;
  calling_removed_ = environment_.loop.after(loop::Milliseconds(0), [this] {
    calling_removed_.reset();
    for (loop::Task& removed : std::exchange(removed_, {})) removed();
  });
}

void DraHost::end() {
  driver_.reset();
  service_.reset();
}

inventory::SnapshotPtr DraHost::acknowledged(const std::string& resource) const {
  return driver_ ? driver_->acknowledged(resource) : nullptr;
}

status::RegistrationStatus DraHost::status() const {
  using State = status::RegistrationStatus::State;
  status::RegistrationStatus status{
      .kind = status::RegistrationStatus::Kind::dra, .state = State::standby, .since = since_};
  if (!driver_) return status;
  const driver::Driver::State driver = driver_->state();
  status.state = state_of(driver);
  if (!status.is_registered()) {
    status.failure = driver.registration.reason;
  } else if (!driver.problem.empty()) {
    status.failure = driver.problem;
  } else if (const auto waits = missing(); !waits.empty()) {
    status.failure = "the pool waits for the first list of " + join(waits, ", ");
  } else if (!driver.dropped.empty()) {
    status.failure = "the API server dropped " + driver.dropped.front() +
                     ": check its version and its feature gates";
  }
  return status;
}

}  // namespace patchbay::daemon
