#pragma once

#include <sys/types.h>
#include <uv.h>

#include <functional>
#include <map>

#include "base/result.h"
#include "loop/event_loop.h"

namespace patchbay::loop {

/// The processes that one libuv loop has started and not yet seen the end of. The loop's data are
/// the Turns of its thread. Loop thread.
class UvProcesses {
 public:
  explicit UvProcesses(uv_loop_t& loop) : loop_(loop) {}

  /// As EventLoop::spawn().
  [[nodiscard]] Result<Subscription> start(const ProcessSpec& spec,
                                           std::move_only_function<void(ProcessEnd)> on_end);

  /// Takes the ends of all children that were not started here. False: one of ours, which libuv is
  /// about to take, may stand before others.
  [[nodiscard]] bool reap_inherited() const;

  /// The loop ends: what was killed but could not end yet is left to whoever inherits it.
  void forget();

 private:
  struct Child;
  void ended(Child* child, ProcessEnd end);

  uv_loop_t& loop_;
  std::map<pid_t, Child*> children_;
};

}  // namespace patchbay::loop
