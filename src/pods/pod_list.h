#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <google/protobuf/io/zero_copy_stream.h>

#include "base/result.h"
#include "observe/pod_resources_status.h"

namespace patchbay::pods {

/// One of the kubelet's devices, and a container that has it.
struct DeviceAllocation {
  std::string resource;
  std::string device;
  std::shared_ptr<const observe::Container> container;  ///< Never null.
};

using ResourceNames = std::set<std::string, std::less<>>;

/// More than all the Pods of a node hold, and no more than the manifest's memory has room for where
/// it is told.
inline constexpr size_t kMaxAllocations = 8192;
/// Kubernetes allows 253 characters for the longest of them.
inline constexpr size_t kMaxNameBytes = 256;

/// What a ListPodResourcesResponse says of devices of these resources, in its order; a device with
/// several NUMA nodes is there several times. It is read where it lies and never made a message,
/// which would take up to fifty times the room of its bytes. What is long or much beyond a
/// kubelet's is an Error. Pure; any thread.
[[nodiscard]] Result<std::vector<DeviceAllocation>> read_pod_list(
    google::protobuf::io::ZeroCopyInputStream& bytes, const ResourceNames& resources);

}  // namespace patchbay::pods
