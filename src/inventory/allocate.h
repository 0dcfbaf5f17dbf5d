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
  std::vector<std::string> cdi_devices;  ///< Qualified names without duplicates, in natural order.
};

/// Whether a path of the host exists; with `device`, whether it is a device node. allocate() calls
/// it only for optional devices and mounts.
using PathExists = std::function<bool(const std::string& host_path, bool device)>;

/// Builds the answer for one container that was given the kubelet's devices `ids`. The order of
/// `ids` and duplicates do not matter. Values under one name of an env or an annotation are joined.
///
/// Fails if a unit is unknown or unhealthy, or if the container would get too many shares of it.
/// Fails if entries clash: different content at one container path, or one env with two separators.
/// The error names the unit and the reason.
///
/// Pure except for `path_exists`. gRPC's thread.
[[nodiscard]] Result<Allocation> allocate(const Snapshot& snapshot,
                                          std::span<const std::string> ids,
                                          const PathExists& path_exists);

}  // namespace patchbay::inventory
