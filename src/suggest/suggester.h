#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "inventory/resolution.h"
#include "paths/host_root.h"
#include "rules/plan/plan_fwd.h"
#include "suggest/candidates.h"
#include "suggest/propose_all.h"
#include "suggest/suggestion.h"

/// The procedure of `patchbay suggest`.
namespace patchbay::suggest {

struct NamedDevices {
  std::vector<Wanted> devices;
  /// Nodes of devices that udev has not processed yet: links and properties can be missing.
  std::vector<std::string> incomplete;
};

/// Finds the devices with these names: see find_named_devices(). Waits for udev, at most 2 s.
[[nodiscard]] Result<NamedDevices> find_devices(std::vector<std::string> names,
                                                const paths::HostRoot& root);

struct Request {
  rules::PlanPtr kinds;           ///< plan_of(kinds())
  std::vector<Wanted> devices{};  ///< Empty: see `all`.
  /// All devices. If false, and `devices` is empty, the user chooses one.
  bool all = false;
  ProposeAllOptions rules{};
  rules::PlanPtr active{};  ///< The existing configuration. Null if there is none.
  std::string node{};       ///< The name of the node.
};

/// Scans the machine once, without probes.
using Scan = std::function<Result<inventory::Resolution>(const rules::PlanPtr&)>;
/// Lets the user choose one of several titles of devices. Returns its index.
using Choose = std::function<Result<size_t>(std::span<const std::string> titles)>;

/// Finds the units of the devices, proposes rules for them and tries the rules. `scan` must scan
/// the same `root`. Fails if the devices cannot be read, if there are none to choose from, or if
/// the rules cannot be in one configuration.
[[nodiscard]] Result<Report> suggest(const Request& request, const paths::HostRoot& root,
                                     const Scan& scan, const Choose& choose);

}  // namespace patchbay::suggest
