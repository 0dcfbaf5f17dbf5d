#include "daemon/status_report.h"

#include <memory>
#include <utility>

#include "daemon/unmatched_groups.h"

namespace patchbay::daemon {
namespace {

constexpr loop::Milliseconds kHostTimeout{3000};

}  // namespace

StatusReport::StatusReport(loop::EventLoop& loop, Daemon& daemon, status::ProgramStatus program,
                           std::function<status::ConfigurationStatus()> configuration,
                           paths::HostRoot root)
    : loop_(loop),
      daemon_(daemon),
      program_(std::move(program)),
      configuration_(std::move(configuration)),
      root_(std::move(root)),
      queue_(loop, 1) {}

status::NodeStatusPtr StatusReport::make(const status::StatusRequest& request) const {
  auto status = std::make_shared<status::NodeStatus>();
  status->clock = clock_;
  status->at = loop_.now();
  status->program = program_;
  status->configuration = configuration_();
  daemon_.describe(*status, request);
  return status;
}

void StatusReport::request_status(status::StatusRequest request,
                                  std::function<void(status::NodeStatusPtr)> done) {
  loop_.post([this, request = std::move(request), done = std::move(done)]() mutable {
    const bool assignments = request.assignments;
    auto answer = [this, request = std::move(request), done = std::move(done)] {
      done(make(request));
    };
    if (!assignments) return answer();
    daemon_.refresh_pod_resources(std::move(answer));
  });
}

void StatusReport::request_unmatched(std::function<void(status::UnmatchedReportPtr)> done) {
  loop_.post([this, done = std::move(done)]() mutable {
    waiting_.push_back(std::move(done));
    if (waiting_.size() > 1) return;
    const auto report = std::make_shared<status::UnmatchedReport>();
    comparison_ = queue_.run(
        "near misses", kHostTimeout,
        [report, status = make({}), root = root_] {
          report->plan = status->plan;
          if (!report->plan) return;
          inventory::Resolution resolution;
          for (const auto& resource : status->resources) {
            resolution.resources.push_back(resource.resolved);
          }
          report->groups = find_unmatched_groups(*report->plan, resolution, root);
        },
        [this, report](loop::WorkOutcome outcome) {
          const bool known = outcome == loop::WorkOutcome::done;
          for (const auto& answer : std::exchange(waiting_, {})) answer(known ? report : nullptr);
        });
  });
}

void StatusReport::check_liveness(std::function<void()> done) {
  loop_.post([this, done = std::move(done)]() mutable { daemon_.check_liveness(std::move(done)); });
}

}  // namespace patchbay::daemon
