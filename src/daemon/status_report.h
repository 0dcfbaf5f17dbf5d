#pragma once

#include <functional>
#include <vector>

#include "daemon/daemon.h"
#include "loop/event_loop.h"
#include "loop/work_threads.h"
#include "observe/node_status.h"

namespace patchbay::daemon {

/// Makes the status when it is asked for, so that it costs nothing while nobody does. Made and
/// destroyed on the loop's thread; asked from any.
class StatusReport final : public observe::StatusSource {
 public:
  /// `configuration` is called on the loop's thread. All outlive this.
  StatusReport(loop::EventLoop& loop, Daemon& daemon, observe::ProgramStatus program,
               std::function<observe::ConfigurationStatus()> configuration);

  void ask(observe::StatusWants wants, std::function<void(observe::NodeStatusPtr)> done) override;
  void ask_for_machine(std::function<void(observe::NodeStatusPtr, MachinePtr)> done) override;
  void ask_for_life(std::function<void()> done) override;

 private:
  [[nodiscard]] observe::NodeStatusPtr make(const observe::StatusWants& wants) const;

  using MachineWanted = std::function<void(observe::NodeStatusPtr, MachinePtr)>;
  void read_machine();

  loop::EventLoop& loop_;
  Daemon& daemon_;
  observe::ProgramStatus program_;
  std::function<observe::ConfigurationStatus()> configuration_;
  WallClock clock_ = WallClock::now();
  loop::WorkThreads threads_;
  std::vector<MachineWanted> waiting_;  ///< For what is being read of the machine.
  loop::Subscription reading_;
};

}  // namespace patchbay::daemon
