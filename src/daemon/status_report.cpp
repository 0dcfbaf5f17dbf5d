#include "daemon/status_report.h"

#include <memory>
#include <utility>

namespace patchbay::daemon {

StatusReport::StatusReport(loop::EventLoop& loop, Daemon& daemon, observe::ProgramStatus program,
                           std::function<observe::ConfigurationStatus()> configuration)
    : loop_(loop),
      daemon_(daemon),
      program_(std::move(program)),
      configuration_(std::move(configuration)) {}

observe::NodeStatusPtr StatusReport::make() const {
  auto status = std::make_shared<observe::NodeStatus>();
  status->clock = clock_;
  status->at = loop_.now();
  status->program = program_;
  status->configuration = configuration_();
  daemon_.describe(*status);
  return status;
}

void StatusReport::ask(std::function<void(observe::NodeStatusPtr)> done) {
  loop_.post([this, done = std::move(done)] { done(make()); });
}

void StatusReport::ask_for_life(std::function<void()> done) {
  loop_.post([this, done = std::move(done)]() mutable { daemon_.ask_for_life(std::move(done)); });
}

}  // namespace patchbay::daemon
