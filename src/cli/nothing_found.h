#pragma once

#include <string>
#include <vector>

#include "base/json_text.h"
#include "host/host_root.h"
#include "inventory/near_miss.h"
#include "rules/plan.h"

/// Why a resource is empty: what its groups looked at, and what came nearest.
namespace patchbay::cli {

/// A group that no device matches, and what there is instead.
struct NothingFound {
  inventory::NearMiss miss;
  std::string looked_at{};  ///< "12 tty devices", "no tty device"
  std::string why{};        ///< What to make of it where nothing was looked at; else empty.
};

/// One for each group of the resources that have neither a unit nor a refusal. Looks at the host
/// again, but only where there is such a group; blocking, in any thread. `root` is put before
/// paths.
[[nodiscard]] std::vector<NothingFound> nothing_found(const rules::Plan& plan,
                                                      const inventory::Resolution& resolution,
                                                      const host::HostRoot& root);

/// Where a person finds the device, printable: its node, else its place in sysfs or the file
/// system; with `wide` that place.
[[nodiscard]] std::string place_of(const DeviceFacts& device, bool wide);

/// A paragraph for each; empty if there is none. Strings of devices are made printable.
[[nodiscard]] std::string nothing_found_text(const rules::Plan& plan,
                                             const std::vector<NothingFound>& groups, bool wide);
[[nodiscard]] Json nothing_found_json(const rules::Plan& plan,
                                      const std::vector<NothingFound>& groups);

}  // namespace patchbay::cli
