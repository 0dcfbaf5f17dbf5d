#include "specs/cdi_edits.h"

#include <nlohmann/json.hpp>

namespace patchbay::specs {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kHostPathOfNode = 5;

Json node_json(const inventory::AllocatedDevice& device, const ResolveLinks& resolve,
               CdiVersion& version) {
  // A missing node keeps its path: the runtime then reports it.
  const std::string path = resolve(device.host_path).value_or(device.host_path);
  Json node{{"path", device.container_path}};
  if (path != device.container_path) {
    node["hostPath"] = path;
    version.require(kHostPathOfNode);
  }
  node["permissions"] = device.permissions;
  if (device.access.mode) node["fileMode"] = *device.access.mode;
  if (device.access.uid) node["uid"] = *device.access.uid;
  if (device.access.gid) node["gid"] = *device.access.gid;
  return node;
}

/// Has the same options as the kubelet's mounts for a plugin's answer.
Json mount_json(const inventory::AllocatedMount& mount) {
  return {{"hostPath", mount.host_path},
          {"containerPath", mount.container_path},
          {"options", {"rbind", "rprivate", mount.read_only ? "ro" : "rw"}}};
}

}  // namespace

Json edits_json(const inventory::Allocation& given, const ResolveLinks& resolve,
                CdiVersion& version) {
  Json edits = Json::object();
  for (const auto& device : given.devices) {
    edits["deviceNodes"].push_back(node_json(device, resolve, version));
  }
  for (const auto& mount : given.mounts) edits["mounts"].push_back(mount_json(mount));
  return edits;
}

}  // namespace patchbay::specs
