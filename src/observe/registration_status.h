#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/words.h"

namespace patchbay::observe {

/// How far one resource is on its way to the kubelet.
struct RegistrationStatus {
  enum class State {
    pending,      ///< What its rules look at does not answer yet.
    standby,      ///< Another process of ours serves it.
    no_kubelet,   ///< Nothing is at kubelet.sock.
    registering,  ///< Register is under way, or the stream that follows it.
    backing_off,  ///< It failed, and is tried again.
    registered,   ///< The kubelet has a list, and a stream is open.
    withdrawing,  ///< It is offered no more.
  };
  State state = State::pending;
  std::chrono::steady_clock::time_point since{};
  std::string failure{};   ///< Of the last try; empty: it did not fail.
  std::string endpoint{};  ///< File name of its socket; empty: it has none.
  size_t streams = 0;      ///< That are open.
};

}  // namespace patchbay::observe

namespace patchbay {
template <>
inline constexpr std::array<std::string_view, 7> kWords<observe::RegistrationStatus::State>{
    "pending", "standingBy", "noKubelet", "registering", "backingOff", "registered", "leaving"};
}  // namespace patchbay
