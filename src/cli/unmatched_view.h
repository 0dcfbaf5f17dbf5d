#pragma once

#include <string>
#include <vector>

#include "base/facts.h"
#include "observe/unmatched_group.h"
#include "rules/plan.h"

/// Why a resource is empty, for people.
namespace patchbay::cli {

/// Where a person finds the device, printable: its node, else its path in sysfs or the file system;
/// with `wide` always that path.
[[nodiscard]] std::string location_of(const DeviceFacts& device, bool wide);

/// A paragraph for each group; empty if there is none. Strings of devices are made printable.
[[nodiscard]] std::string unmatched_text(const rules::Plan& plan,
                                         const std::vector<observe::UnmatchedGroup>& groups,
                                         bool wide);

}  // namespace patchbay::cli
