#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "inventory/snapshot.h"
#include "rules/plan/node_access.h"

namespace patchbay::inventory {

struct AllocatedDevice {
  std::string host_path;
  std::string container_path;
  std::string permissions;
  bool optional = false;  ///< The container works without it.
  rules::NodeAccess access{};
  friend auto operator<=>(const AllocatedDevice&, const AllocatedDevice&) = default;
};

struct AllocatedMount {
  std::string host_path;
  std::string container_path;
  bool read_only = true;
  bool optional = false;  ///< The container works without it.
  friend auto operator<=>(const AllocatedMount&, const AllocatedMount&) = default;
};

/// The devices, mounts, env variables, annotations and CDI devices that one container gets.
struct Allocation {
  std::map<std::string, std::string> envs;
  std::vector<AllocatedDevice> devices;  ///< In the order of the entries, then of the units' ids.
  std::vector<AllocatedMount> mounts;
  std::map<std::string, std::string> annotations;
  std::vector<std::string> cdi_devices;  ///< In natural order, without duplicates.
};

/// Returns whether a path of the host exists. If `device` is true, the path must also be a device
/// node. allocate() calls it only for optional devices and mounts.
using PathExists = std::function<bool(const std::string& host_path, bool device)>;

/// Builds the response to Allocate for one container. `ids` are the kubelet's ids of units or
/// shares; order and duplicates do not matter. Several values of one env or annotation are joined.
///
/// Fails if a unit is unknown or unhealthy, or if the container would get too many shares of a
/// unit. Fails if two entries clash. They clash if they put different content at the same container
/// path, or join the same env with different separators. The error names the unit and the reason.
///
/// Pure except for `path_exists`. gRPC's thread.
[[nodiscard]] Result<Allocation> allocate(const Snapshot& snapshot,
                                          std::span<const std::string> ids,
                                          const PathExists& path_exists);

}  // namespace patchbay::inventory
