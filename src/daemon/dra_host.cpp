#include "daemon/dra_host.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "driver/claim_conflicts.h"
#include "driver/driver.h"
#include "driver/driver_service.h"
#include "driver/preparation.h"
#include "loop/child_process.h"
#include "rpc/endpoint_name.h"
#include "rules/plan/plan.h"

namespace patchbay::daemon {
namespace {

/// Time between attempts to read the records.
constexpr loop::Milliseconds kLoadRetry{2000};

/// A file of the kernel, in memory.
std::string read_boot_id() {
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

status::DraClaim claim_status(const driver::ClaimRecord& record) {
  status::DraClaim claim{.name_space = record.name_space,
                         .name = record.name,
                         .uid = record.uid,
                         .phase = std::string(word_of(record.phase)),
                         .reason = record.failure};
  for (const driver::RecordedDevice& device : record.devices) {
    claim.devices.push_back({.resource = device.resource, .unit = device.unit});
  }
  return claim;
}

}  // namespace

DraHost::DraHost(Environment environment, DraOptions options, Callbacks callbacks)
    : environment_(environment),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      boot_id_(read_boot_id()),
      started_(environment_.loop.now()),
      preparer_(environment_.loop, environment_.work, environment_.steps,
                {.pool = options_.node,
                 .directory = driver::driver_directory(options_.kubelet_root) + "/claims",
                 .cdi_directory = options_.cdi_directory,
                 .boot_id = boot_id_,
                 .root = options_.root},
                preparer_callbacks()),
      calls_(preparer_,
             [this](const std::string& uid) {
               reconciler_.note_call(uid);
               update_soon();
             }),
      reconciler_(environment_.loop, options_.check_period, reconciler_callbacks()) {}

DraHost::~DraHost() = default;

driver::ClaimPreparer::Callbacks DraHost::preparer_callbacks() {
  return {
      .find_device = [this](const std::string& driver,
                            const std::string& device) -> Result<driver::ClaimUnit> {
        if (driver != name_) {
          return fail(
              fmt::format("device {}: the configuration does not have the DRA driver "
                          "{} any more; delete the Pod and its ResourceClaim",
                          printable(device), driver));
        }
        auto unit = active() == nullptr ? std::nullopt : active()->find(device);
        if (unit) return *std::move(unit);
        return fail(
            fmt::format("device {}: not on this node any more; plug it in again, or "
                        "delete the Pod so that the scheduler chooses another device",
                        printable(device)));
      },
      .lists =
          [this] {
            std::vector<inventory::SnapshotPtr> lists;
            for (const auto& [resource, list] : lists_) lists.push_back(list);
            return lists;
          },
      .is_missing =
          [this](const std::string& resource) {
            const auto names = missing();
            return std::ranges::find(names, resource) != names.end();
          },
      .get_claim = [this](const driver::ResourceClaimName& claim,
                          driver::KubeClient::GotClaim done) { get_claim(claim, std::move(done)); },
      .changed =
          [this] {
            claims_changed_ = true;
            update_soon();
          }};
}

driver::ClaimReconciler::Callbacks DraHost::reconciler_callbacks() {
  return {
      .records =
          [this] {
            std::vector<const driver::ClaimRecord*> records;
            for (const auto& [uid, record] : preparer_.stored().records) {
              // ClaimPreparer repeats a failed release.
              const bool failed = record.phase == driver::ClaimPhase::release_failed;
              if (!failed && served(record.driver) != nullptr) records.push_back(&record);
            }
            return records;
          },
      .list_pods =
          [this](auto done) {
            if (environment_.pods == nullptr) return done(fail(""));
            environment_.pods->refresh(
                [pods = environment_.pods, done = std::move(done)](const auto& newer) mutable {
                  if (!newer) return done(std::unexpected(newer.error()));
                  done(pods->claims());
                },
                true);
          },
      .get_claim = [this](const driver::ResourceClaimName& claim,
                          driver::KubeClient::GotClaim done) { get_claim(claim, std::move(done)); },
      .release =
          [this](const driver::ResourceClaimName& claim) {
            calls_.add(driver::CallKind::unprepare, {claim}, [](const auto& /*outcomes*/) {});
          },
      .checking = [this] { preparer_.restore_specs(); }};
}

void DraHost::get_claim(const driver::ResourceClaimName& claim, driver::KubeClient::GotClaim done) {
  driver::Driver* const driver = served(claim.driver);
  if (driver == nullptr) return done(fail("the DRA driver has ended; the kubelet calls again"));
  driver->get_claim(claim, std::move(done));
}

/// Without the records, a device of a running container could be given to a second one.
void DraHost::load(loop::Task done) {
  preparer_.load([this, done = std::move(done)](const Result<void>& loaded) mutable {
    loaded_ = loaded.has_value();
    load_failure_ = loaded ? "" : loaded.error().message;
    load_retry_.reset();
    retry_load();
    update_soon();
    done();
  });
}

/// Without `serve: dra`, a directory that cannot be read does not matter.
void DraHost::retry_load() {
  if (load_failure_.empty() || name_.empty() || load_retry_) return;
  if (std::exchange(logged_failure_, load_failure_) != load_failure_) {
    log::error("DRA is not served: the records of ResourceClaims cannot be read",
               {{"reason", load_failure_}});
  }
  load_retry_ = environment_.loop.after(kLoadRetry, [this] { load([] {}); });
}

void DraHost::set_plan(const rules::PlanPtr& plan) {
  if (std::exchange(plan_, plan) == plan) return;
  const std::string before =
      std::exchange(name_, std::ranges::any_of(plan->resources, is_dra) ? plan->driver : "");
  if (before != name_) {
    // The pool that would call them ends.
    waiting_removals_.merge(std::exchange(removing_, {}));
  } else if (active() != nullptr) {
    active()->set_plan(plan);
  }
  retry_load();
  update();
}

/// The callers can be in the middle of a call that a driver needs.
void DraHost::update_soon() {
  if (!updating_) updating_ = environment_.loop.after(loop::Milliseconds(0), [this] { update(); });
}

void DraHost::log_conflicts() {
  std::set<std::string> texts;
  for (const auto& [uid, its] : driver::find_claim_conflicts(preparer_.stored().records)) {
    for (const std::string& text : its) {
      if (!conflicts_.contains(text)) {
        log::warning("two ResourceClaims of a Pod differ", {{"reason", text}});
      }
      texts.insert(text);
    }
  }
  conflicts_ = std::move(texts);
}

/// Joins the elections of all drivers that are needed, and ends the others.
void DraHost::update() {
  updating_.reset();
  if (std::exchange(claims_changed_, false)) {
    log_conflicts();
    if (active() != nullptr) active()->claims_changed();
    callbacks_.claims_changed();
  }
  if (!loaded_ || !plan_) return;
  std::set<std::string> needed;
  if (!name_.empty()) needed.insert(name_);
  for (const auto& [uid, record] : preparer_.stored().records) needed.insert(record.driver);
  for (const auto& [uid, unreadable] : preparer_.stored().unreadable) {
    if (unreadable.spec) needed.insert(unreadable.spec->driver);
  }
  for (const std::string& name : needed) {
    const auto [candidate, is_new] = candidates_.try_emplace(name);
    if (!is_new) continue;
    candidate->second.since = environment_.loop.now();
    environment_.plugins.campaign(name, [this, name] { elected(name); });
  }
  std::vector<std::string> over;
  for (auto& [name, candidate] : candidates_) {
    if (!candidate.driver) continue;
    if (name == name_) {
      if (candidate.driver->is_draining()) {
        candidate.driver->serve(plan_);
        for (const auto& [resource, list] : lists_) candidate.driver->set(list);
      }
    } else {
      if (!candidate.driver->is_draining()) candidate.driver->drain();
      if (candidate.driver->is_withdrawn() && !has_claims(name)) over.push_back(name);
    }
  }
  for (const std::string& name : over) {
    log::info("the DRA driver ends: it has no ResourceClaim any more", {{"driver", name}});
    candidates_.erase(name);
    environment_.plugins.resign(name);
  }
  update_served();
  update_hold();
}

/// Another instance may have served the driver until now, and changed its records.
void DraHost::elected(const std::string& name) {
  preparer_.load([this, name](const Result<void>& loaded) {
    const auto candidate = candidates_.find(name);
    if (candidate == candidates_.end()) return;
    if (!loaded) {
      candidate->second.load_retry =
          environment_.loop.after(kLoadRetry, [this, name] { elected(name); });
      return;
    }
    start_driver(name);
    update_served();
    update_hold();
  });
}

void DraHost::start_driver(const std::string& name) {
  if (!service_) {
    service_ = std::make_unique<driver::DriverService>(environment_.loop, rpc::make_start_id());
  }
  std::vector<std::string> command = options_.kube_command;
  command.insert(command.end(), {"--driver", name, "--node", options_.node});
  Candidate& candidate = candidates_.at(name);
  candidate.since = environment_.loop.now();
  candidate.driver = std::make_unique<driver::Driver>(
      driver::Driver::Environment{.loop = environment_.loop,
                                  .inotify = environment_.inotify,
                                  .work = environment_.work,
                                  .service = *service_,
                                  .calls = calls_,
                                  .counters = environment_.counters},
      driver::Driver::Options{
          .name = name,
          .kubelet_root = options_.kubelet_root,
          .kube = {.command = std::move(command),
                   .environment = loop::child_environment(
                       {"KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"})}},
      name == name_ ? plan_ : nullptr,
      driver::Driver::Callbacks{.acknowledged =
                                    [this] {
                                      callbacks_.acknowledged();
                                      update_soon();
                                    },
                                .prepared = [this, name] { return preparer_.devices(name); }});
  if (name != name_) return;
  for (const auto& [resource, list] : lists_) candidate.driver->set(list);
}

/// Whether the kubelet may call the driver again.
bool DraHost::has_claims(const std::string& driver) const {
  const auto& stored = preparer_.stored();
  return std::ranges::any_of(stored.records,
                             [&](const auto& its) { return its.second.driver == driver; }) ||
         std::ranges::any_of(stored.unreadable,
                             [&](const auto& its) {
                               return its.second.spec && its.second.spec->driver == driver;
                             }) ||
         calls_.has_open_claims(driver);
}

void DraHost::update_served() {
  std::set<std::string> names;
  for (const auto& [name, candidate] : candidates_) {
    if (candidate.driver) names.insert(name);
  }
  const bool any = !names.empty();
  preparer_.set_served(std::move(names));
  if (any) reconciler_.start();
}

driver::Driver* DraHost::served(const std::string& name) const {
  const auto found = candidates_.find(name);
  return found == candidates_.end() ? nullptr : found->second.driver.get();
}

/// Null while the driver drains still, or is not served.
driver::Driver* DraHost::active() const {
  driver::Driver* const driver = served(name_);
  return driver != nullptr && !driver->is_draining() ? driver : nullptr;
}

std::vector<std::string> DraHost::missing() const {
  std::vector<std::string> missing;
  for (const auto& resource : plan_->resources) {
    const bool known = lists_.contains(resource->name) || left_out_.contains(resource->name);
    if (is_dra(resource) && !known) missing.push_back(resource->name);
  }
  return missing;
}

bool DraHost::is_withdrawing() const {
  return std::ranges::any_of(candidates_, [](const auto& candidate) {
    const auto& driver = candidate.second.driver;
    return driver && driver->is_draining() && !driver->is_withdrawn();
  });
}

/// Nothing is written while a resource is missing: its stored devices, which Pods may have, would
/// vanish. Nothing is written either while a former driver has slices, because two Pods could get
/// one device.
void DraHost::update_hold() {
  if (!is_withdrawing()) {
    for (auto& [resource, removed] : std::exchange(waiting_removals_, {})) {
      remove(resource, std::move(removed));
    }
  }
  if (active() == nullptr) return;
  active()->hold(is_withdrawing() || !missing().empty());
}

void DraHost::set(const inventory::SnapshotPtr& list) {
  left_out_.erase(list->resource->name);
  lists_[list->resource->name] = list;
  if (active() != nullptr) active()->set(list);
  preparer_.follow(list->resource->name);
  update_hold();
}

void DraHost::leave_out(const std::string& resource) {
  left_out_.insert(resource);
  update_hold();
}

void DraHost::remove(const std::string& resource, loop::Task removed) {
  lists_.erase(resource);
  left_out_.erase(resource);
  if (is_withdrawing()) {
    waiting_removals_[resource] = std::move(removed);
    return;
  }
  removing_[resource] = std::move(removed);
  if (active() == nullptr) return finish_removal(resource);
  active()->remove(resource, [this, resource] { finish_removal(resource); });
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
  candidates_.clear();
  service_.reset();
}

inventory::SnapshotPtr DraHost::acknowledged(const std::string& resource) const {
  return active() != nullptr ? active()->acknowledged(resource) : nullptr;
}

std::vector<inventory::HeldUnit> DraHost::held_units(const rules::Plan& plan) const {
  return driver::held_units(preparer_.stored().records, plan, boot_id_);
}

status::RegistrationStatus DraHost::status() const {
  using State = status::RegistrationStatus::State;
  status::RegistrationStatus status{
      .kind = status::RegistrationStatus::Kind::dra, .state = State::standby, .since = started_};
  if (!loaded_) {
    status.state = State::no_kubelet;
    status.failure = load_failure_;
    return status;
  }
  if (const auto candidate = candidates_.find(name_); candidate != candidates_.end()) {
    status.since = candidate->second.since;
  }
  if (active() == nullptr) {
    for (const auto& [name, candidate] : candidates_) {
      if (!candidate.driver || candidate.driver->is_withdrawn()) continue;
      status.failure = candidate.driver->state().api_problem;
    }
    return status;
  }
  const driver::Driver::State driver = active()->state();
  status.state = state_of(driver);
  if (!status.is_registered()) {
    status.failure = driver.registration.reason;
  } else if (!driver.api_problem.empty()) {
    status.failure = driver.api_problem;
  } else if (!driver.rejection.empty()) {
    status.failure = driver.rejection;
  } else if (const auto waits = missing(); !waits.empty()) {
    status.failure = "the pool waits for the first list of " + join(waits, ", ");
  } else if (is_withdrawing()) {
    status.failure = "the former DRA driver still has ResourceSlices";
  } else if (!driver.dropped.empty()) {
    status.failure = "the API server dropped " + driver.dropped.front() +
                     ": check its version and its feature gates";
  }
  return status;
}

std::vector<status::DraDriver> DraHost::drivers() const {
  std::vector<status::DraDriver> drivers;
  const auto conflicts = driver::find_claim_conflicts(preparer_.stored().records);
  for (const auto& [name, candidate] : candidates_) {
    status::DraDriver its{.name = name, .draining = name != name_, .standby = !candidate.driver};
    if (candidate.driver) {
      const auto state = candidate.driver->state();
      its.registered = state.registration.state == driver::DriverRegistration::State::registered;
      its.reason = !its.registered              ? state.registration.reason
                   : !state.api_problem.empty() ? state.api_problem
                                                : state.rejection;
      its.api_up = state.api_problem.empty();
      for (const auto& [uid, record] : preparer_.stored().records) {
        if (record.driver != name) continue;
        its.claims.push_back(claim_status(record));
        const auto found = conflicts.find(uid);
        if (found != conflicts.end()) its.claims.back().warnings = found->second;
      }
      for (const auto& [uid, unreadable] : preparer_.stored().unreadable) {
        if (name != (unreadable.spec ? unreadable.spec->driver : name_)) continue;
        its.claims.push_back(
            {.uid = uid, .phase = "unreadable", .reason = unreadable.error.message});
      }
    }
    const auto at = name == name_ ? drivers.begin() : drivers.end();
    drivers.insert(at, std::move(its));
  }
  return drivers;
}

}  // namespace patchbay::daemon
