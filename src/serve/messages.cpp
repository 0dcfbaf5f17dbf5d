#include "serve/messages.h"

#include <algorithm>
#include <cstdint>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "inventory/list_changes.h"

namespace patchbay::serve {

namespace {

/// More than a device takes beside its id: health, and a NUMA node, which most have one of.
constexpr size_t kRoomBesideId = 32;

/// What stands before each device: the number of its field, and that a length follows.
constexpr uint32_t kDeviceTag = (v1beta1::ListAndWatchResponse::kDevicesFieldNumber << 3) | 2;

void tell_nodes(const inventory::Unit& unit, v1beta1::Device& device) {
  device.clear_topology();
  for (const int node : unit.nodes) device.mutable_topology()->add_nodes()->set_id(node);
}

}  // namespace

std::string encode_list(const inventory::Snapshot& snapshot) {
  size_t room = 0;
  for (const inventory::Unit& unit : snapshot.units) {
    room += unit.listed() * (unit.id.size() + kRoomBesideId);
  }
  std::string bytes;
  bytes.reserve(room);
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    const bool tells_nodes = snapshot.tells_nodes();
    // One message for all, since thousands of them would take more time and memory than the bytes.
    v1beta1::Device device;
    for (const inventory::Unit& unit : snapshot.units) {
      device.set_health(unit.healthy ? "Healthy" : "Unhealthy");
      if (tells_nodes) tell_nodes(unit, device);
      for (size_t part = 0; part < unit.listed(); ++part) {
        device.set_id(unit.listed_id(part));
        out.WriteTag(kDeviceTag);
        out.WriteVarint32(static_cast<uint32_t>(device.ByteSizeLong()));
        device.SerializeWithCachedSizes(&out);
      }
    }
  }
  return bytes;
}

bool same_list(const inventory::Snapshot& a, const inventory::Snapshot& b) {
  const bool nodes = a.tells_nodes();
  if (nodes != b.tells_nodes()) return false;
  bool same = true;
  inventory::for_each_change(
      a.units, b.units, [&](const inventory::Unit* x, const inventory::Unit* y) {
        same = same && x != nullptr && y != nullptr && x->parts == y->parts &&
               x->healthy == y->healthy && (!nodes || x->nodes == y->nodes);
      });
  return same;
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
