#include "serve/messages.h"

#include <algorithm>

namespace patchbay::serve {

v1beta1::ListAndWatchResponse to_list(const inventory::Snapshot& snapshot) {
  v1beta1::ListAndWatchResponse response;
  size_t listed = 0;
  for (const inventory::Unit& unit : snapshot.units) listed += unit.listed();
  const bool tells_nodes = snapshot.tells_nodes();
  response.mutable_devices()->Reserve(static_cast<int>(listed));
  for (const inventory::Unit& unit : snapshot.units) {
    for (size_t part = 0; part < unit.listed(); ++part) {
      v1beta1::Device& device = *response.add_devices();
      device.set_id(unit.listed_id(part));
      device.set_health(unit.healthy ? "Healthy" : "Unhealthy");
      if (!tells_nodes) continue;
      for (const int node : unit.nodes) device.mutable_topology()->add_nodes()->set_id(node);
    }
  }
  return response;
}

bool same_list(const inventory::Snapshot& a, const inventory::Snapshot& b) {
  const bool nodes = a.tells_nodes();
  if (nodes != b.tells_nodes()) return false;
  const auto same = [&](const inventory::Unit& x, const inventory::Unit& y) {
    return x.id == y.id && x.parts == y.parts && x.healthy == y.healthy &&
           (!nodes || x.nodes == y.nodes);
  };
  return std::ranges::equal(a.units, b.units, same);
}

v1beta1::ContainerAllocateResponse to_response(const inventory::Allocation& allocation) {
  v1beta1::ContainerAllocateResponse response;
  for (const auto& [name, value] : allocation.envs) (*response.mutable_envs())[name] = value;
  for (const auto& [name, value] : allocation.annotations) {
    (*response.mutable_annotations())[name] = value;
  }
  for (const inventory::AllocatedMount& from : allocation.mounts) {
    v1beta1::Mount& mount = *response.add_mounts();
    mount.set_container_path(from.container_path);
    mount.set_host_path(from.host_path);
    mount.set_read_only(from.read_only);
  }
  for (const inventory::AllocatedDevice& from : allocation.devices) {
    v1beta1::DeviceSpec& device = *response.add_devices();
    device.set_container_path(from.container_path);
    device.set_host_path(from.host_path);
    device.set_permissions(from.permissions);
  }
  for (const std::string& name : allocation.cdi_devices) response.add_cdi_devices()->set_name(name);
  return response;
}

v1beta1::DevicePluginOptions plugin_options(const inventory::Snapshot& snapshot) {
  const auto& resource = *snapshot.resource;
  v1beta1::DevicePluginOptions options;
  options.set_pre_start_required(resource.prepares_starts());
  options.set_get_preferred_allocation_available(resource.choice_matters());
  return options;
}

bool same_plugin_options(const inventory::Snapshot& a, const inventory::Snapshot& b) {
  return plugin_options(a).SerializeAsString() == plugin_options(b).SerializeAsString();
}

}  // namespace patchbay::serve
