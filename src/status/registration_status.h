#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/words.h"

namespace patchbay::status {

/// The progress of one resource's registration with the kubelet.
struct RegistrationStatus {
  enum class State {
    pending,      ///< A path or device of its rules does not answer yet.
    standby,      ///< Another daemon serves the resource.
    no_kubelet,   ///< kubelet.sock does not exist.
    registering,  ///< Register is in progress, or a stream is expected after it.
    backing_off,  ///< The last attempt failed; a retry is scheduled.
    registered,   ///< The kubelet has a list, and a stream is open.
    withdrawing,  ///< The resource is no longer offered.
  };
  State state = State::pending;
  std::chrono::steady_clock::time_point since{};
  std::string failure{};   ///< Why the last attempt failed. Empty if it did not fail.
  std::string endpoint{};  ///< File name of the resource's socket. Empty if there is none.
  size_t streams = 0;      ///< Number of open streams.
};

}  // namespace patchbay::status

namespace patchbay {
template <>
inline constexpr std::array<std::string_view, 7> kWords<status::RegistrationStatus::State>{
    "pending", "standby", "noKubelet", "registering", "backingOff", "registered", "withdrawing"};
}  // namespace patchbay
