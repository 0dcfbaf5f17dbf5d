#include "daemon/status_report.h"

#include <memory>
#include <utility>

#include "host/machine.h"

namespace patchbay::daemon {
namespace {

constexpr loop::Milliseconds kMachineTimeout{3000};

}  // namespace

StatusReport::StatusReport(loop::EventLoop& loop, Daemon& daemon, observe::ProgramStatus program,
                           std::function<observe::ConfigurationStatus()> configuration)
    : loop_(loop),
      daemon_(daemon),
      program_(std::move(program)),
      configuration_(std::move(configuration)),
      threads_(loop, 1) {}

observe::NodeStatusPtr StatusReport::make(const observe::StatusWants& wants) const {
  auto status = std::make_shared<observe::NodeStatus>();
  status->clock = clock_;
  status->at = loop_.now();
  status->program = program_;
  status->configuration = configuration_();
  daemon_.describe(*status, wants);
  return status;
}

void StatusReport::ask(observe::StatusWants wants,
                       std::function<void(observe::NodeStatusPtr)> done) {
  loop_.post([this, wants = std::move(wants), done = std::move(done)]() mutable {
    const bool holders = wants.holders;
    auto answer = [this, wants = std::move(wants), done = std::move(done)] { done(make(wants)); };
    if (!holders) return answer();
    daemon_.look_at_holders(std::move(answer));
  });
}

void StatusReport::ask_for_machine(MachineWanted done) {
  loop_.post([this, done = std::move(done)]() mutable {
    waiting_.push_back(std::move(done));
    if (waiting_.size() == 1) read_machine();
  });
}

/// Once for all who wait.
void StatusReport::read_machine() {
  const auto machine = std::make_shared<Machine>();
  reading_ = threads_.run(
      "what is on the buses", kMachineTimeout, [machine] { *machine = host::read_machine(); },
      [this, machine](loop::WorkOutcome outcome) {
        const auto waiting = std::exchange(waiting_, {});
        const observe::NodeStatusPtr status = make({});
        const bool known = outcome == loop::WorkOutcome::done;
        for (const MachineWanted& done : waiting) done(status, known ? machine : nullptr);
      });
}

void StatusReport::ask_for_life(std::function<void()> done) {
  loop_.post([this, done = std::move(done)]() mutable { daemon_.ask_for_life(std::move(done)); });
}

}  // namespace patchbay::daemon
