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

/// A DRA device of a ResourceClaim, as a container of a Pod has it.
struct PodClaimDevice {
  std::string claim_namespace;
  std::string claim;
  std::string driver;
  std::string pool;
  std::string device;
};

using ResourceNames = std::set<std::string, std::less<>>;

/// Maximum number of devices in an answer. All Pods of a node have fewer. The status of this many
/// fits into the memory limit of our manifest.
inline constexpr size_t kMaxAllocations = 8192;

/// The devices in a ListPodResourcesResponse.
struct PodList {
  std::vector<DeviceAllocation> allocations{};
  std::vector<PodClaimDevice> claims{};
};

/// Returns the devices of these resources, and those of ResourceClaims, in the order of the
/// response. A device with several NUMA nodes occurs several times. Fails if the answer has more
/// than kMaxAllocations devices, cannot be parsed or lacks the Pod `own_pod`. Pure; any thread.
[[nodiscard]] Result<PodList> read_pod_list(google::protobuf::io::ZeroCopyInputStream& bytes,
                                            const ResourceNames& resources,
                                            std::string_view own_pod = {});

/// The result of a query to the kubelet.
struct ListOutcome {
  enum class Kind {
    answered,
    no_socket,  ///< No socket at the path.
    failed,
  };
  Kind kind = Kind::answered;
  std::string reason{};  ///< Why there is no answer, for messages. Empty if answered.
  PodList list{};
};

/// Asks the kubelet which container has which device, with its PodResources API. Each call opens
/// its own connection: the kubelet creates a new socket at each start, and an idle connection would
/// cost memory and wake-ups. The class is an interface, so that few files include gRPC headers. A
/// thread in list() shares the ownership.
class PodResources {
 public:
  /// Time limit of a call. A kubelet normally answers within milliseconds.
  static constexpr std::chrono::milliseconds kTimeout{3000};
  /// Maximum size of an answer. The answer of a full node has some ten kilobytes.
  static constexpr size_t kMostAnswerBytes = size_t{4} << 20U;

  /// `path` is the socket. `own_pod` is "NAMESPACE/NAME" of the daemon's Pod; empty if unknown. If
  /// an answer lacks this Pod, the call fails: a starting kubelet does not know all Pods yet.
  [[nodiscard]] static std::shared_ptr<PodResources> at(
      const std::string& path, const std::string& own_pod = {},
      std::chrono::milliseconds timeout = kTimeout);
  virtual ~PodResources() = default;

  /// Blocks, at most until the timeout, or longer if the file system of the path hangs. One call at
  /// a time, on any thread.
  [[nodiscard]] virtual ListOutcome list(const ResourceNames& resources) = 0;

  /// Cancels a call in progress, and waits up to 0.5 s for its end. Later calls fail. Any thread.
  virtual void close() = 0;
};

}  // namespace patchbay::pods
