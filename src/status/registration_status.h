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
    standby,      ///< Another process of ours serves it.
    no_kubelet,   ///< kubelet.sock does not exist.
    registering,  ///< Register, or the opening of the stream after it, is in progress.
    backing_off,  ///< The last attempt failed; a retry is scheduled.
    registered,   ///< The kubelet has a list, and a stream is open.
    withdrawing,  ///< The resource is no longer offered.
  };
  State state = State::pending;
  std::chrono::steady_clock::time_point since{};
  std::string failure{};   ///< Failure of the last attempt; empty: it did not fail.
  std::string endpoint{};  ///< File name of its socket; empty: it has none.
  size_t streams = 0;      ///< Open streams.
};

}  // namespace patchbay::status

namespace patchbay {
template <>
inline constexpr std::array<std::string_view, 7> kWords<status::RegistrationStatus::State>{
    "pending", "standby", "noKubelet", "registering", "backingOff", "registered", "withdrawing"};
}  // namespace patchbay
