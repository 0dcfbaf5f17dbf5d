#pragma once

#include <string>

#include "loop/event_loop.h"
#include "status/node_status.h"

namespace patchbay::plugin {

/// Logs when the kubelet becomes unavailable or reachable, once for all resources. The first line
/// has the level info, because each restart of the kubelet causes it. A warning follows after
/// kWarnAfter. Loop thread.
class KubeletAvailability {
 public:
  static constexpr loop::Milliseconds kWarnAfter{60'000};

  /// `socket` is the path of kubelet.sock.
  KubeletAvailability(loop::EventLoop& loop, std::string socket);

  /// Records that no socket exists at the path.
  void missing();
  /// Records that a socket exists. It is not known yet whether the kubelet answers.
  void found();
  /// Records that no kubelet answers at the socket.
  void unreachable(const std::string& reason);
  /// Records that the kubelet answered.
  void reached();

  [[nodiscard]] status::KubeletStatus status() const;

 private:
  void start_waiting(std::string reason);
  [[nodiscard]] std::string describe_missing() const;

  loop::EventLoop& loop_;
  std::string socket_;
  std::string reason_;  ///< Reason of the current or last wait.
  bool missing_ = false;
  bool logged_ = false;  ///< The current wait was logged.
  loop::Time since_;     ///< Start of the wait.
  loop::Subscription warn_timer_;
};

}  // namespace patchbay::plugin
