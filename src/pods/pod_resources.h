#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/io/zero_copy_stream.h>

#include "base/result.h"
#include "status/pod_resources_status.h"

namespace patchbay::pods {

/// One of the kubelet's devices, and a container that has it.
struct DeviceAllocation {
  std::string resource;
  std::string device;
  std::shared_ptr<const status::Container> container;  ///< Never null.
};

using ResourceNames = std::set<std::string, std::less<>>;

/// More than all Pods of a node have, and few enough that reports of them fit into the memory limit
/// of our manifest.
inline constexpr size_t kMaxAllocations = 8192;

/// Returns the devices of these resources from a ListPodResourcesResponse, in its order. A device
/// with several NUMA nodes occurs several times. An answer that exceeds the limit, cannot be read
/// or lacks the Pod `own_pod` is an Error. Pure; any thread.
[[nodiscard]] Result<std::vector<DeviceAllocation>> read_pod_list(
    google::protobuf::io::ZeroCopyInputStream& bytes, const ResourceNames& resources,
    std::string_view own_pod = {});

/// The result of a query to the kubelet.
struct ListOutcome {
  enum class Kind {
    answered,
    no_socket,  ///< No socket at the path.
    failed,
  };
  Kind kind = Kind::answered;
  std::string reason{};  ///< For people; empty if answered.
  std::vector<DeviceAllocation> allocations{};
};

/// Queries the kubelet's PodResources socket. Each call makes its own connection: the kubelet makes
/// a new socket at each start, and an idle connection would take memory and wake-ups. It is an
/// interface, so that few files include gRPC headers. Shared with the thread that calls it.
class PodResources {
 public:
  /// A kubelet answers within milliseconds.
  static constexpr std::chrono::milliseconds kTimeout{3000};
  /// Maximum size of an answer. That of a full node is some ten kilobytes.
  static constexpr size_t kMostAnswerBytes = size_t{4} << 20U;

  /// `own_pod`: "NAMESPACE/NAME" of the daemon's Pod; empty: none. An answer without it is
  /// incomplete, and the call fails: a kubelet that starts does not know all Pods.
  [[nodiscard]] static std::shared_ptr<PodResources> at(
      const std::string& path, const std::string& own_pod = {},
      std::chrono::milliseconds timeout = kTimeout);
  virtual ~PodResources() = default;

  /// Blocks until the timeout, and for longer only if the file system of the path hangs. One call
  /// at a time, on any thread.
  [[nodiscard]] virtual ListOutcome list(const ResourceNames& resources) = 0;

  /// Cancels a call in progress; later calls fail. Waits up to half a second for its end. Any
  /// thread.
  virtual void close() = 0;
};

}  // namespace patchbay::pods
