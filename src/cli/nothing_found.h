#pragma once

#include <string>
#include <vector>

#include "cli/json_text.h"
#include "host/host_root.h"
#include "inventory/inventory.h"
#include "inventory/near_miss.h"

/// Why a resource is empty: what its groups looked at, and what came nearest.
namespace patchbay::cli {

/// A group that no device matches, and what there is instead.
struct NothingFound {
  inventory::NearMiss miss;
  std::string looked_at{};  ///< "12 tty devices", "no tty device"
  std::string why{};        ///< What to make of it where nothing was looked at; else empty.
};

/// One for each group of the resources that have neither a unit nor a refusal. Looks at the host
/// again, but only where there is such a group; blocking.
[[nodiscard]] std::vector<NothingFound> nothing_found(const inventory::Inventory& inventory,
                                                      const host::HostRoot& root);

/// A paragraph for each; empty if there is none. Strings of devices are made printable.
[[nodiscard]] std::string nothing_found_text(const rules::Plan& plan,
                                             const std::vector<NothingFound>& groups);
[[nodiscard]] Json nothing_found_json(const rules::Plan& plan,
                                      const std::vector<NothingFound>& groups);

}  // namespace patchbay::cli
