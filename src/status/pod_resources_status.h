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

/// The kubelet's report: which of its devices each container has. Names are as received from the
/// kubelet, and may contain any text. Plain values. Shared objects are immutable.
namespace patchbay::status {

struct Container {
  std::string pod_namespace;
  std::string pod;
  std::string name;
  friend auto operator<=>(const Container&, const Container&) = default;
};

struct Assignment {
  std::shared_ptr<const Container> container;  ///< Never null.
  /// Time of the Allocate for the container. If not known, the time of the first query that
  /// reported the assignment.
  std::chrono::steady_clock::time_point since;
};

/// One of the kubelet's devices.
struct DeviceAssignments {
  std::vector<Assignment> assignments{};  ///< Sorted by container.
  /// Time of the last Allocate of the device. Null if not known, or if no container has the device.
  std::optional<std::chrono::steady_clock::time_point> allocated{};
};

/// The devices of one resource, by the kubelet's ids.
using ResourceAssignments = std::map<std::string, DeviceAssignments>;
using AssignmentsByResource = std::map<std::string, ResourceAssignments>;  ///< By resource.

/// The assignments, and the state of the requests for them.
struct PodResourcesStatus {
  enum class State {
    not_queried,  ///< No request was made yet.
    no_socket,    ///< The socket does not exist.
    failing,      ///< `reason` says why there is no answer.
    ready,        ///< The kubelet has answered.
  };
  std::string path;  ///< Path of the kubelet's socket.
  State state = State::not_queried;
  std::string reason{};                                             ///< Empty if `ready`.
  std::optional<std::chrono::steady_clock::time_point> asked{};     ///< Time of the last request.
  std::optional<std::chrono::steady_clock::time_point> answered{};  ///< Time of the last answer.
  std::shared_ptr<const AssignmentsByResource> devices;             ///< Never null.
};

using PodResourcesStatusPtr = std::shared_ptr<const PodResourcesStatus>;

}  // namespace patchbay::status

namespace patchbay {
template <>
inline constexpr std::array<std::string_view, 4> kWords<status::PodResourcesStatus::State>{
    "notQueried", "noSocket", "failing", "ready"};
}  // namespace patchbay
