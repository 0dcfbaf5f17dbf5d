#pragma once

#include <string>

#include "rules/plan/plan.h"

namespace patchbay::dra {

/// Returns the DeviceClass that selects the units of a resource, as a YAML document. Comments show
/// a ResourceClaimTemplate and the lines of a Pod that use it. The selector never fails at run
/// time, because an error on one device would stop the scheduling of the Pod. Pure; any thread.
[[nodiscard]] std::string device_class_yaml(const std::string& driver,
                                            const rules::ResourcePlan& resource);

}  // namespace patchbay::dra
