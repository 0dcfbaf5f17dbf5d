#pragma once

#include <string>

#include "loop/event_loop.h"
#include "observe/node_status.h"

namespace patchbay::serve {

/// Says in the log that the kubelet is not there, once for all resources: that is news at first, as
/// each restart of the kubelet begins so, and a warning when it lasts. Loop thread.
class KubeletAvailability {
 public:
  static constexpr loop::Milliseconds kWarnAfter{60'000};

  /// `socket` is the kubelet's.
  KubeletAvailability(loop::EventLoop& loop, std::string socket);

  /// Nothing is at kubelet.sock.
  void missing();
  /// Something is there. Whether it answers is not known yet.
  void found();
  /// Nobody answers there, for that reason.
  void unreachable(const std::string& reason);
  /// The kubelet answered.
  void reached();

  [[nodiscard]] observe::KubeletStatus status() const;

 private:
  void start_waiting(std::string reason);
  [[nodiscard]] std::string describe_missing() const;

  loop::EventLoop& loop_;
  std::string socket_;
  std::string reason_;  ///< Why it is waited for, or was.
  bool missing_ = false;
  bool logged_ = false;  ///< Since the kubelet answered last.
  loop::Time since_;     ///< Since when it is waited for.
  loop::Subscription warn_timer_;
};

}  // namespace patchbay::serve
