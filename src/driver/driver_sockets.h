#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "driver/call_queue.h"
#include "driver/driver_service.h"
#include "driver/registration_tracker.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "loop/weak_self.h"
#include "paths/directory_watch.h"
#include "rpc/endpoint.h"
#include "status/counters.h"

namespace patchbay::driver {

/// The directory for the sockets and the state of all our drivers.
[[nodiscard]] inline std::string driver_directory(const std::string& kubelet_root) {
  return kubelet_root + "/plugins/patchbay";
}

/// Offers one DRA driver to the kubelet: creates its registration socket and its service socket,
/// and passes the kubelet's calls to the queue. The kubelet calls back; it finds the registration
/// socket and reads the path of the other one from it.
///
/// Both directories must have the same path as on the host. The sockets are created again with new
/// names if they are deleted, or once the kubelet's directory exists. Only the elected leader of a
/// driver name may have this object. Loop thread.
class DriverSockets {
 public:
  struct Options {
    std::string kubelet_root;  ///< Such as "/var/lib/kubelet".
    std::string driver;        ///< The name of the driver.
    /// Called after each change of registration(), never during a call of this object.
    std::function<void()> on_change;
    status::Histogram* prepares = nullptr;  ///< Durations of Prepare calls; null: not counted.
  };

  /// The references outlive this object.
  DriverSockets(loop::EventLoop& loop, loop::Inotify& inotify, DriverService& service,
                CallQueue& calls, Options options);
  DriverSockets(const DriverSockets&) = delete;
  DriverSockets& operator=(const DriverSockets&) = delete;
  /// Removes the sockets, so that the kubelet unregisters the driver. Calls in the queue can still
  /// be answered; later ones on open connections fail.
  ~DriverSockets() = default;

  [[nodiscard]] const DriverRegistration& registration() const { return tracker_.registration(); }

 private:
  void on_event(const loop::InotifyEvent& event);
  /// Opens the sockets unless both exist.
  void check();
  Result<void> open();
  Result<rpc::Endpoint> open_endpoint(const std::string& directory,
                                      const std::function<void(UniqueFd)>& on_connection);
  [[nodiscard]] std::shared_ptr<ServiceOwner> make_service_owner();
  [[nodiscard]] std::shared_ptr<RegistrationOwner> make_registration_owner(
      const std::string& endpoint);

  loop::EventLoop& loop_;
  DriverService& service_;
  std::string driver_;
  status::Histogram* prepares_;
  std::string registry_;   ///< The directory that the kubelet searches for registration sockets.
  std::string directory_;  ///< driver_directory().
  CallQueue& calls_;
  RegistrationTracker tracker_;
  std::shared_ptr<ServiceOwner> owner_;  ///< Owner of the current service socket.
  rpc::Endpoint service_endpoint_;
  rpc::Endpoint registration_endpoint_;  ///< Destroyed before the socket that it names.
  paths::DirectoryWatch watch_;          ///< Watches registry_.
  loop::Subscription poll_;
  loop::WeakSelf<DriverSockets> weak_self_{this};
};

}  // namespace patchbay::driver
