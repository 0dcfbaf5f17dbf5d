#include "standin/kubelet_messages.h"

#include <nlohmann/json.hpp>

namespace patchbay::standin {

std::vector<ListedDevice> to_devices(const v1beta1::ListAndWatchResponse& list) {
  std::vector<ListedDevice> devices;
  devices.reserve(static_cast<size_t>(list.devices_size()));
  for (const v1beta1::Device& device : list.devices()) {
    // The kubelet treats every value except the exact word as unhealthy.
    ListedDevice& listed = devices.emplace_back(
        ListedDevice{.id = device.id(), .healthy = device.health() == "Healthy", .numa_nodes = {}});
    for (const auto& node : device.topology().nodes()) listed.numa_nodes.push_back(node.id());
  }
  return devices;
}

std::string to_json_text(const v1beta1::ContainerAllocateResponse& answer) {
  nlohmann::json json = {{"envs", nlohmann::json::object()},
                         {"mounts", nlohmann::json::array()},
                         {"devices", nlohmann::json::array()},
                         {"annotations", nlohmann::json::object()},
                         {"cdi_devices", nlohmann::json::array()}};
  for (const auto& [name, value] : answer.envs()) json["envs"][name] = value;
  for (const auto& mount : answer.mounts()) {
    json["mounts"].push_back({{"container_path", mount.container_path()},
                              {"host_path", mount.host_path()},
                              {"read_only", mount.read_only()}});
  }
  for (const auto& device : answer.devices()) {
    json["devices"].push_back({{"container_path", device.container_path()},
                               {"host_path", device.host_path()},
                               {"permissions", device.permissions()}});
  }
  for (const auto& [key, value] : answer.annotations()) json["annotations"][key] = value;
  for (const auto& device : answer.cdi_devices()) json["cdi_devices"].push_back(device.name());
  return json.dump(2);
}

}  // namespace patchbay::standin
