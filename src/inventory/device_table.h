#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/facts.h"
#include "base/text.h"
#include "inventory/make_unit.h"
#include "inventory/snapshot.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// One rule that a device matches, with all that follows from the device alone.
struct Match {
  rules::Rule rule;  ///< Of members that are equal (RuleIndex), the first: it is for all.
  Captures captures;
  std::string by;     ///< Which devices of the group it belongs with; see `fault`.
  std::string fault;  ///< Why that is not known; empty if it is, or if the group has no `by`.
  MadeUnitPtr alone;  ///< The unit that it is, where the group has no `by`.
};

/// A device and what the plan makes of it.
struct KnownDevice {
  DeviceFactsPtr facts;
  std::vector<Match> matches;  ///< In order of the plan.
};

/// By DeviceFacts::key, in natural order.
using DeviceTable = std::map<std::string, KnownDevice, NaturalLess>;

/// What another plan made of a device.
struct KnownBefore {
  const KnownDevice& device;
  const rules::Plan& plan;
};

/// Every rule of the plan that the device matches. What `before` has of the same facts for the very
/// same ResourcePlan is taken over.
[[nodiscard]] std::vector<Match> matches_of(const rules::Plan& plan, const DeviceFactsPtr& facts,
                                            const KnownBefore* before = nullptr);

}  // namespace patchbay::inventory
