#pragma once

#include <string>

#include "loop/event_loop.h"
#include "status/node_status.h"

namespace patchbay::plugin {

/// Logs, once for all resources, that the kubelet is not available. The first line is
/// informational, because each restart of the kubelet causes it; a warning follows after
/// kWarnAfter. Loop thread.
class KubeletAvailability {
 public:
  static constexpr loop::Milliseconds kWarnAfter{60'000};

  /// `socket` is the path of kubelet.sock.
  KubeletAvailability(loop::EventLoop& loop, std::string socket);

  /// No socket exists at its path.
  void missing();
  /// A socket exists. Whether the kubelet answers is not known yet.
  void found();
  /// No process answers there, for that reason.
  void unreachable(const std::string& reason);
  /// The kubelet answered.
  void reached();

  [[nodiscard]] status::KubeletStatus status() const;

 private:
  void start_waiting(std::string reason);
  [[nodiscard]] std::string describe_missing() const;

  loop::EventLoop& loop_;
  std::string socket_;
  std::string reason_;  ///< Reason of the current or last wait.
  bool missing_ = false;
  bool logged_ = false;  ///< Logged since the kubelet's last answer.
  loop::Time since_;     ///< Start of the wait.
  loop::Subscription warn_timer_;
};

}  // namespace patchbay::plugin
