#pragma once

#include <string>
#include <vector>

#include "model/facts.h"
#include "rules/plan/plan.h"
#include "status/unmatched_group.h"

/// Explains resources without devices, for people.
namespace patchbay::cli {

/// The device for people, printable: its node; without one its path in sysfs or the file system.
/// With `wide` always the path.
[[nodiscard]] std::string location_of(const DeviceFacts& device, bool wide);

/// A paragraph for each group; empty if there are no groups. Device strings are made printable.
[[nodiscard]] std::string unmatched_text(const rules::Plan& plan,
                                         const std::vector<status::UnmatchedGroup>& groups,
                                         bool wide);

}  // namespace patchbay::cli
