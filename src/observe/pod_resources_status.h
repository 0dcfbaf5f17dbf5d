#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"

/// Which container has which of the kubelet's devices, as the kubelet tells it. Values, immutable
/// where they are shared; names are the kubelet's and may hold anything.
namespace patchbay::observe {

struct Container {
  std::string pod_namespace;
  std::string pod;
  std::string name;
  friend auto operator<=>(const Container&, const Container&) = default;
};

struct Assignment {
  std::shared_ptr<const Container> container;  ///< Never null.
  /// When Allocate gave it the device; where that is not known, when it was first seen to have it.
  std::chrono::steady_clock::time_point since;
};

/// One of the kubelet's devices.
struct DeviceAssignments {
  std::vector<Assignment> assignments{};  ///< Sorted by container.
  /// When Allocate gave it away last, unless it is known that nobody has it any more.
  std::optional<std::chrono::steady_clock::time_point> allocated{};
};

/// Those of one resource, by the ids that the kubelet knows them by.
using ResourceAssignments = std::map<std::string, DeviceAssignments>;
using AssignmentsByResource = std::map<std::string, ResourceAssignments>;  ///< By resource.

/// What is known of who holds what, and how that was asked for.
struct PodResourcesStatus {
  enum class State {
    unasked,    ///< Nobody has looked yet.
    no_socket,  ///< Nothing is at the path.
    failing,    ///< `reason` says why there was no answer.
    known,      ///< The kubelet has answered.
  };
  std::string path;  ///< Of the kubelet's socket.
  State state = State::unasked;
  std::string reason{};                                          ///< Empty: it has answered.
  std::optional<std::chrono::steady_clock::time_point> asked{};  ///< When, last.
  std::optional<std::chrono::steady_clock::time_point>
      answered{};                                        ///< When that was answered last.
  std::shared_ptr<const AssignmentsByResource> devices;  ///< By the last answer; never null.
};

using PodResourcesStatusPtr = std::shared_ptr<const PodResourcesStatus>;

}  // namespace patchbay::observe

namespace patchbay {
template <>
inline constexpr std::array<std::string_view, 4> kWords<observe::PodResourcesStatus::State>{
    "unasked", "noSocket", "failing", "known"};
}  // namespace patchbay
