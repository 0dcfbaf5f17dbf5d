#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/words.h"

namespace patchbay::status {

/// The progress of one resource's registration with the kubelet. With DRA, the driver is registered
/// for all of its resources, and then each resource is published in the API server.
struct RegistrationStatus {
  enum class Kind { device_plugin, dra };
  enum class State {
    pending,        ///< A path or device of its rules does not answer yet.
    standby,        ///< Another daemon serves the resource.
    no_kubelet,     ///< kubelet.sock does not exist. DRA: our sockets cannot be created.
    registering,    ///< Register is in progress, or a stream is expected after it. DRA: the kubelet
                    ///< has not called us.
    backing_off,    ///< The last attempt failed; a retry is scheduled.
    registered,     ///< The kubelet has a list, and a stream is open. DRA: the API server has it.
    withdrawing,    ///< The resource is no longer offered.
    held_back,      ///< DRA: Pods have units by the device plugin, or may have them.
    not_published,  ///< DRA: the API server does not have the newest list.
  };
  Kind kind = Kind::device_plugin;
  State state = State::pending;
  /// Start of the state. DRA: when this process began to serve the driver, or to hold back or
  /// withdraw the resource.
  std::chrono::steady_clock::time_point since{};
  std::string failure{};   ///< Why the last attempt failed. Empty if it did not fail.
  std::string endpoint{};  ///< File name of the resource's socket. Empty if there is none.
  size_t streams = 0;      ///< Number of open streams.

  /// Whether the kubelet has accepted the device plugin or the driver. The API server's state does
  /// not matter.
  [[nodiscard]] bool is_registered() const {
    return state == State::registered || state == State::held_back || state == State::not_published;
  }
};

}  // namespace patchbay::status

namespace patchbay {
template <>
inline constexpr std::array<std::string_view, 2> kWords<status::RegistrationStatus::Kind>{
    "devicePlugin", "dra"};
template <>
inline constexpr std::array<std::string_view, 9> kWords<status::RegistrationStatus::State>{
    "pending",    "standby",     "noKubelet", "registering", "backingOff",
    "registered", "withdrawing", "heldBack",  "notPublished"};
}  // namespace patchbay
