#pragma once

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

}  // namespace patchbay::pods
