#include "daemon/status_report.h"

#include <memory>
#include <utility>

#include "daemon/unmatched_groups.h"
#include "host/facts/node_hardware_reader.h"

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

template <typename T>
void StatusReport::read_host(HostRead<T>& read, const char* subject, Callback<T> done,
                             std::function<std::function<void(T&)>()> start) {
  loop_.post([this, &read, subject, done = std::move(done), start = std::move(start)]() mutable {
    read.waiting.push_back(std::move(done));
    if (read.waiting.size() > 1) return;
    const auto value = std::make_shared<T>();
    read.job = queue_.run(
        subject, kHostTimeout, [value, fill = start()] { fill(*value); },
        [&read, value](loop::WorkOutcome outcome) {
          const auto waiting = std::exchange(read.waiting, {});
          const bool known = outcome == loop::WorkOutcome::done;
          for (const Callback<T>& answer : waiting) answer(known ? value : nullptr);
        });
  });
}

void StatusReport::request_machine(
    std::function<void(status::NodeStatusPtr, NodeHardwarePtr)> done) {
  read_host<NodeHardware>(
      machine_, "the devices on the buses",
      [this, done = std::move(done)](NodeHardwarePtr machine) {
        done(make({}), std::move(machine));
      },
      [] { return [](NodeHardware& machine) { machine = host::read_node_hardware(); }; });
}

void StatusReport::request_unmatched(Callback<status::UnmatchedReport> done) {
  using Report = status::UnmatchedReport;
  read_host<Report>(unmatched_, "near misses", std::move(done), [this] {
    return [status = make({}), root = root_](Report& report) {
      report.plan = status->plan;
      if (!report.plan) return;
      inventory::Resolution resolution;
      for (const auto& resource : status->resources) {
        resolution.resources.push_back(resource.resolved);
      }
      report.groups = find_unmatched_groups(*report.plan, resolution, root);
    };
  });
}

void StatusReport::check_liveness(std::function<void()> done) {
  loop_.post([this, done = std::move(done)]() mutable { daemon_.check_liveness(std::move(done)); });
}

}  // namespace patchbay::daemon
