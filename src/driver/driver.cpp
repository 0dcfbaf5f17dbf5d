#include "driver/driver.h"

#include <utility>

#include "base/log.h"
#include "rules/plan/plan.h"

namespace patchbay::driver {

Driver::Driver(Environment environment, Options options, rules::PlanPtr plan, Callbacks callbacks)
    : loop_(environment.loop),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      counters_(environment.counters),
      kube_(environment.loop, environment.work, options_.kube, kube_events()),
      sockets_(environment.loop, environment.inotify, environment.service, environment.calls,
               {.kubelet_root = options_.kubelet_root,
                .driver = options_.name,
                .on_change = [this] { update_hold(); },
                .prepares = &environment.counters.dra_prepares}) {
  plan ? serve(std::move(plan)) : drain();
}

void Driver::serve(rules::PlanPtr plan) {
  hold(true);
  pool_.emplace(
      loop_,
      Pool::Callbacks{.publish = [this](PoolSlices slices) { return publish(std::move(slices)); },
                      .acknowledged = callbacks_.acknowledged,
                      .prepared = callbacks_.prepared});
  pool_->set_plan(std::move(plan));
}

KubeEvents Driver::kube_events() {
  return {.stored =
              [this](int64_t number, std::vector<std::string> dropped) {
                stored_ = number;
                rejection_.clear();
                dropped_ = std::move(dropped);
                pool_ ? pool_->stored(number) : callbacks_.acknowledged();
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
              },
          .wrote =
              [this](status::SliceWrite result) {
                counters_.slice_writes[static_cast<size_t>(result)].add();
              }};
}

int64_t Driver::publish(PoolSlices slices) { return published_ = kube_.publish(std::move(slices)); }

void Driver::drain() {
  pool_.reset();
  publish({});
  hold(false);
}

void Driver::hold(bool on) {
  held_ = on;
  update_hold();
}

bool Driver::is_registered() const {
  return sockets_.registration().state == DriverRegistration::State::registered;
}

/// Slices of a driver that no kubelet has registered would attract Pods that cannot start.
void Driver::update_hold() {
  kube_.hold(held_ || !is_registered());
  log_api_problem();
  if (is_draining() && is_rejected()) callbacks_.acknowledged();
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
  return {.registration = sockets_.registration(),
          .api_problem = api_problem_,
          .rejection = rejection_,
          .stored = published_ > 0 && stored_ == published_,
          .dropped = dropped_};
}

}  // namespace patchbay::driver
