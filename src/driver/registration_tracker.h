#pragma once

#include <functional>
#include <optional>
#include <string>

#include "loop/event_loop.h"
#include "loop/weak_self.h"

namespace patchbay::driver {

/// Whether the kubelet can call a driver.
struct DriverRegistration {
  enum class State {
    no_socket,     ///< The sockets cannot be created.
    waiting,       ///< The kubelet has not read the registration socket.
    rejected,      ///< The kubelet does not accept the driver.
    registered,    ///< The kubelet has accepted the driver, and is connected to its service.
    disconnected,  ///< The kubelet has accepted the driver, but is not connected.
  };
  State state = State::waiting;
  std::string reason{};  ///< Cause and remedy. Empty: registered.

  friend bool operator==(const DriverRegistration&, const DriverRegistration&) = default;
};

/// Derives the DriverRegistration of one driver from the events of its sockets, and logs its
/// changes. Loop thread.
class RegistrationTracker {
 public:
  /// Time in which the kubelet connects after it has accepted the driver, or reconnects. A
  /// connection without calls ends after 30 minutes, and the kubelet reconnects at once
  /// (docs/dev/kubelet.md: Registration of drivers).
  static constexpr loop::Milliseconds kConnectTime{2000};

  struct Paths {
    std::string registration;
    std::string service;
  };

  /// `on_change` is called after each change, never during a call of this object.
  RegistrationTracker(loop::EventLoop& loop, std::string driver, std::function<void()> on_change);

  [[nodiscard]] const DriverRegistration& registration() const { return registration_; }

  void sockets_failed(const std::string& reason);
  /// New sockets: the kubelet must register the driver again.
  void sockets_opened(Paths paths);
  /// The kubelet reports whether it has registered the driver. `error` may contain any text.
  void kubelet_answered(bool registered, const std::string& error);
  /// The service has a connection. `false`: its last connection has ended.
  void set_connected(bool connected);

 private:
  struct KubeletAnswer {
    bool registered;
    std::string error;
  };

  void wait_for_connection();
  [[nodiscard]] DriverRegistration derive() const;
  void update();
  void log_change() const;

  loop::EventLoop& loop_;
  std::string driver_;
  std::function<void()> on_change_;
  DriverRegistration registration_;
  std::string failure_;  ///< Why there are no sockets. Empty: they exist.
  Paths paths_;
  std::optional<KubeletAnswer> answer_;  ///< Nullopt: none since sockets_opened().
  bool connected_ = false;
  bool was_connected_ = false;  ///< Since sockets_opened().
  bool may_connect_ = false;    ///< kConnectTime has not passed.
  loop::Subscription connect_timer_;
  loop::WeakSelf<RegistrationTracker> weak_self_{this};
};

}  // namespace patchbay::driver
