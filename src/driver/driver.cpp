#include "driver/driver.h"

#include <utility>

#include "base/log.h"
#include "rules/plan/plan.h"

namespace patchbay::driver {
namespace {

/// Time between attempts to read the records.
constexpr loop::Milliseconds kLoadRetry{2000};

}  // namespace

Driver::Driver(Environment environment, Options options, rules::PlanPtr plan,
               std::function<void()> acknowledged)
    : environment_(environment),
      options_(std::move(options)),
      kube_(environment_.loop, environment_.work, options_.kube,
            {.stored =
                 [this](int64_t number, std::vector<std::string> dropped) {
                   stored_ = number;
                   rejection_.clear();
                   dropped_ = std::move(dropped);
                   pool_.stored(number);
                 },
             .rejected =
                 [this](int64_t /*number*/, std::string reason) {
                   log::warning("the API server rejected the ResourceSlices",
                                {{"driver", options_.name}, {"reason", reason}});
                   rejection_ = std::move(reason);
                 },
             .api =
                 [this](std::string problem) {
                   api_problem_ = std::move(problem);
                   log_api_problem();
                 }}),
      pool_(environment_.loop, {.publish =
                                    [this](PoolSlices slices) {
                                      return published_ = kube_.publish(std::move(slices));
                                    },
                                .acknowledged = std::move(acknowledged),
                                .prepared = [this] { return preparer_.devices(); }}),
      preparer_(environment_.work, environment_.steps,
                {.driver = options_.name,
                 .pool = options_.node,
                 .directory = driver_directory(options_.kubelet_root) + "/claims",
                 .cdi_directory = options_.cdi_directory,
                 .boot_id = options_.boot_id,
                 .root = options_.root},
                {.find_device = [this](std::string_view device) { return pool_.find(device); },
                 .lists = [this] { return pool_.lists(); },
                 .get_claim =
                     [this](const ResourceClaimName& claim, KubeClient::GotClaim done) {
                       kube_.get_claim(claim.namespace_name, claim.name, std::move(done));
                     },
                 .changed = [this] { pool_.claims_changed(); }}) {
  pool_.set_plan(std::move(plan));
  load();
}

void Driver::load() {
  preparer_.load([this](const Result<void>& loaded) { on_loaded(loaded); });
}

/// Without the records, a device of a running container could be given to a second one.
void Driver::on_loaded(const Result<void>& loaded) {
  if (!loaded) {
    if (std::exchange(load_failure_, loaded.error().message) != load_failure_) {
      log::error("cannot serve the DRA driver: the records of ResourceClaims cannot be read",
                 {{"driver", options_.name}, {"reason", load_failure_}});
    }
    load_retry_ = environment_.loop.after(kLoadRetry, [this] { load(); });
    return;
  }
  sockets_ = std::make_unique<DriverSockets>(
      environment_.loop, environment_.inotify, environment_.service, preparer_,
      DriverSockets::Options{.kubelet_root = options_.kubelet_root,
                             .driver = options_.name,
                             .on_change = [this] { update_hold(); }});
  update_hold();
  for (const auto& list : pool_.lists()) preparer_.follow(list->resource->name);
}

void Driver::set(const inventory::SnapshotPtr& list) {
  pool_.set(list);
  preparer_.follow(list->resource->name);
}

void Driver::set_plan(rules::PlanPtr plan) { pool_.set_plan(std::move(plan)); }

void Driver::hold(bool on) {
  held_ = on;
  update_hold();
}

bool Driver::is_registered() const {
  return sockets_ && sockets_->registration().state == DriverRegistration::State::registered;
}

/// Slices of a driver that no kubelet has registered would attract Pods that cannot start.
void Driver::update_hold() {
  kube_.hold(held_ || !is_registered());
  log_api_problem();
}

/// Silent until the kubelet has registered the driver. If Kubernetes is too old, the kubelet's
/// rejection is the only line.
void Driver::log_api_problem() {
  if (!is_registered() || api_problem_ == logged_problem_) return;
  logged_problem_ = api_problem_;
  if (api_problem_.empty()) {
    log::info("the API server answers", {{"driver", options_.name}});
  } else {
    log::warning("the API server does not answer",
                 {{"driver", options_.name}, {"reason", api_problem_}});
  }
}

Driver::State Driver::state() const {
  State state;
  if (sockets_) {
    state.registration = sockets_->registration();
  } else {
    state.registration = {.state = DriverRegistration::State::no_socket, .reason = load_failure_};
  }
  state.problem = !api_problem_.empty() ? api_problem_ : rejection_;
  state.stored = published_ > 0 && stored_ == published_;
  state.dropped = dropped_;
  return state;
}

}  // namespace patchbay::driver
