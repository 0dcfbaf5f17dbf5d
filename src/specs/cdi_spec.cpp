#include "specs/cdi_spec.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "inventory/assemble.h"

namespace patchbay::specs {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPrefix = "patchbay-";
constexpr std::string_view kSpecSuffix = ".json";

/// The minor versions of CDI that introduced a feature.
constexpr int kHostPathOfNode = 5;
constexpr int kDigitFirst = 5;
constexpr int kDotInClass = 6;

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

std::string cdi_file_name(const std::string& resource) {
  // No domain contains '_': two resources never share a file.
  std::string name = std::string(kPrefix) + resource + std::string(kSpecSuffix);
  std::ranges::replace(name, '/', '_');
  return name;
}

bool is_cdi_file_name(std::string_view name) {
  return name.starts_with(kPrefix) && name.ends_with(kSpecSuffix) && name.contains('_');
}

Result<std::optional<std::string>> cdi_spec(const inventory::Snapshot& snapshot,
                                            const ResolveLinks& resolve) {
  const auto& resource = *snapshot.resource;
  CdiVersion version;
  if (resource.name.find('.', resource.name.find('/')) != std::string::npos) {
    version.require(kDotInClass);
  }
  Json devices = Json::array();
  for (const inventory::Unit& unit : snapshot.units) {
    // A lost unit has no checks, and its group may be from another plan.
    if (!unit.checks || !resource.groups[unit.members->group].writes_cdi) continue;
    const inventory::Grant grant{.unit = &unit, .shares = {}};
    const auto of_unit =
        inventory::assemble(resource, {&grant, 1}, nullptr, inventory::Injection::spec);
    if (!of_unit) return fail("unit '" + unit.id + "'", of_unit.error());
    const auto given = inventory::join_edits(*of_unit);
    if (!given) return fail("unit '" + unit.id + "'", given.error());
    Json edits = edits_json(*given, resolve, version);
    if (edits.empty()) continue;  // Runtimes reject a device without edits.
    if (is_digit(unit.id.front())) version.require(kDigitFirst);
    devices.push_back({{"name", unit.id}, {"containerEdits", std::move(edits)}});
  }
  if (devices.empty()) return std::nullopt;
  const Json spec{
      {"cdiVersion", version.text()}, {"kind", resource.name}, {"devices", std::move(devices)}};
  return spec.dump(2) + '\n';
}

}  // namespace patchbay::specs
