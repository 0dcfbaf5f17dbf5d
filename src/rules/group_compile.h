#pragma once

#include <optional>
#include <string>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/plan.h"

namespace patchbay::rules {

/// What a group takes from its resource.
struct GroupContext {
  std::string id_prefix;  ///< GroupPlan::id_prefix.
  config::ProbeOptionsSpec probe_defaults;
};

/// Null if the group could not be made; every mistake is reported, and mistakes in its entries are
/// reported although there is a group.
[[nodiscard]] std::optional<GroupPlan> compile_group(const config::GroupSpec& spec,
                                                     const GroupContext& context,
                                                     config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
