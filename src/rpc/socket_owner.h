#pragma once

#include <functional>
#include <string>
#include <utility>

namespace patchbay::rpc {

/// The owner of a listening socket and of the connections that it accepts: for instance one
/// resource of the device plugin API. Each service derives its own type, and its calls get the
/// owner of their connection.
struct SocketOwner {
  explicit SocketOwner(std::string its_name) : name(std::move(its_name)) {}
  SocketOwner(const SocketOwner&) = delete;
  SocketOwner& operator=(const SocketOwner&) = delete;
  virtual ~SocketOwner() = default;

  const std::string name;  ///< For the log and for refusals, such as the resource.
  /// A peer hung up. Called on the loop thread.
  std::function<void()> on_hang_up = [] {};
};

}  // namespace patchbay::rpc
