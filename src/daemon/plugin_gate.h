#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "loop/event_loop.h"
#include "loop/weak_self.h"
#include "pods/pod_watch.h"

namespace patchbay::daemon {

/// Decides when a resource can be published by DRA: once no Pod has a unit of it by the device
/// plugin. Otherwise both would give one device away. Queries the kubelet until then. Loop thread.
class PluginGate {
 public:
  /// Time between queries of the kubelet.
  static constexpr loop::Milliseconds kPeriod{10'000};

  enum class State {
    unknown,  ///< The kubelet has not answered.
    in_use,   ///< Pods have units, or a recent Allocate gave units to a starting Pod.
    open,     ///< No Pod has a unit. The gate stays open.
  };

  /// Starts the first query. `changed` is called after each answer, never within the constructor.
  /// `loop` and `pods` outlive this object. Null `pods`: the kubelet is not queried.
  PluginGate(loop::EventLoop& loop, pods::PodWatch* pods, std::string resource,
             std::function<void()> changed);

  [[nodiscard]] State state() const { return state_; }
  /// The cause of the closed gate, and the remedy; empty if it is open.
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  void query();
  void on_answer(const Result<void>& newer);

  loop::EventLoop& loop_;
  pods::PodWatch* pods_;
  const std::string resource_;
  const std::function<void()> changed_;
  State state_ = State::unknown;
  std::string reason_;
  loop::Subscription retry_;
  loop::WeakSelf<PluginGate> weak_self_{this};
};

}  // namespace patchbay::daemon
