#include "pods/pod_list.h"

#include <algorithm>

#include <fmt/format.h>
#include <google/protobuf/arena.h>

#include "proto/podresources_v1.pb.h"

namespace patchbay::pods {

Result<std::vector<DeviceAllocation>> read_pod_list(
    google::protobuf::io::ZeroCopyInputStream& bytes, const ResourceNames& resources,
    std::string_view own_pod) {
  google::protobuf::Arena arena;
  auto& list = *google::protobuf::Arena::CreateMessage<v1::ListPodResourcesResponse>(&arena);
  if (!list.ParseFromZeroCopyStream(&bytes)) return fail("it cannot be read");
  const auto is_own = [&](const v1::PodResources& pod) {
    return pod.namespace_() + "/" + pod.name() == own_pod;
  };
  if (!own_pod.empty() && std::ranges::none_of(list.pod_resources(), is_own)) {
    return fail(fmt::format("it lacks our Pod {}", own_pod));
  }
  std::vector<DeviceAllocation> allocations;
  for (const v1::PodResources& pod : list.pod_resources()) {
    for (const v1::ContainerResources& container : pod.containers()) {
      const auto owner = std::make_shared<const status::Container>(status::Container{
          .pod_namespace = pod.namespace_(), .pod = pod.name(), .name = container.name()});
      for (const v1::ContainerDevices& devices : container.devices()) {
        if (!resources.contains(devices.resource_name())) continue;
        for (const std::string& id : devices.device_ids()) {
          if (allocations.size() == kMaxAllocations) {
            return fail(fmt::format("it lists more than {} devices", kMaxAllocations));
          }
          allocations.push_back(
              {.resource = devices.resource_name(), .device = id, .container = owner});
        }
      }
    }
  }
  return allocations;
}

}  // namespace patchbay::pods
