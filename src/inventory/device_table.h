#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/facts.h"
#include "base/text.h"
#include "inventory/snapshot.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// One group that a device matches, with all that follows from the device alone.
struct Match {
  size_t resource = 0;
  size_t group = 0;
  std::shared_ptr<const UnitMembers> members;
  std::string id;     ///< Empty if none could be made.
  std::string fault;  ///< Why it cannot be a unit; empty if it can.
};

/// A device and what the plan makes of it.
struct KnownDevice {
  DeviceFactsPtr facts;
  std::vector<Match> matches;  ///< In order of the plan.
};

struct NaturalLess {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return natural_less(a, b); }
};

/// By DeviceFacts::key, in natural order.
using DeviceTable = std::map<std::string, KnownDevice, NaturalLess>;

/// Every group of the plan that matches the device. All templates are rendered once, so that what
/// cannot be given to a container is known now.
[[nodiscard]] std::vector<Match> matches_of(const rules::Plan& plan, const DeviceFactsPtr& facts);

}  // namespace patchbay::inventory
