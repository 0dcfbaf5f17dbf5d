#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "inventory/snapshot.h"
#include "rules/node_access.h"

namespace patchbay::inventory {

struct AllocatedDevice {
  std::string host_path;
  std::string container_path;
  std::string permissions;
  bool optional = false;  ///< The container can do without it.
  rules::NodeAccess access{};
  friend auto operator<=>(const AllocatedDevice&, const AllocatedDevice&) = default;
};

struct AllocatedMount {
  std::string host_path;
  std::string container_path;
  bool read_only = true;
  bool optional = false;  ///< The container can do without it.
  friend auto operator<=>(const AllocatedMount&, const AllocatedMount&) = default;
};

/// What one container gets.
struct Allocation {
  std::map<std::string, std::string> envs;
  std::vector<AllocatedDevice> devices;  ///< In the order of the entries, then of the units' ids.
  std::vector<AllocatedMount> mounts;
  std::map<std::string, std::string> annotations;
  std::vector<std::string> cdi_devices;  ///< Qualified names, in natural order, each once.
};

/// Whether a path of the host exists. Called from allocate(), for optional devices and mounts only.
using PathExists = std::function<bool(const std::string& host_path)>;

/// The answer for one container that was given the kubelet's devices `ids`, in any order, with
/// repeats ignored. Fails, naming the unit and the reason, on an unknown or unhealthy unit, and
/// where entries clash: different things at one container path, or one env with two ways to join;
/// and where it gives more shares of a unit than one container may have. Values under one name, of
/// an env or an annotation, are joined. Pure but for `path_exists`; gRPC's thread.
[[nodiscard]] Result<Allocation> allocate(const Snapshot& snapshot,
                                          std::span<const std::string> ids,
                                          const PathExists& path_exists);

}  // namespace patchbay::inventory
