#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "inventory/make_unit.h"
#include "inventory/snapshot.h"
#include "model/facts.h"
#include "rules/plan/plan.h"

namespace patchbay::inventory {

/// The rendered `by` of a group for one device. All devices with the same text form one unit.
struct Grouping {
  Captures captures{};
  std::string by{};     ///< The text; valid if `fault` is empty.
  std::string fault{};  ///< Why the text could not be rendered; empty if it could.
};

/// A rule that a device matches, with the data that depends only on the rule and the device.
struct Match {
  rules::Rule rule;               ///< For equal members: the first, RuleIndex::representative().
  MadeUnitPtr standalone_unit{};  ///< The unit of the device, if the group has no `by`; null
                                  ///< otherwise.
  std::shared_ptr<const Grouping> shared_grouping{};  ///< Set if the group has a `by`; null
                                                      ///< otherwise.

  [[nodiscard]] const std::string& by() const { return grouping().by; }
  [[nodiscard]] const std::string& fault() const { return grouping().fault; }
  [[nodiscard]] const Captures& captures() const { return grouping().captures; }

 private:
  [[nodiscard]] const Grouping& grouping() const;
};

/// A device and its matches.
struct KnownDevice {
  DeviceFactsPtr facts;
  std::vector<Match> matches;  ///< In order of the plan.
};

/// By DeviceFacts::key, in natural order. A key points into the facts of its entry.
using DeviceTable = std::map<std::string_view, KnownDevice, NaturalLess>;

/// A device with its matches under another plan.
struct PreviousDevice {
  const KnownDevice& device;
  const rules::Plan& plan;
};

/// Returns a match for every rule of the plan that the device matches, except rules that wait for
/// unread facts of the device. `before` must have the same facts object. The matches in `before`
/// are reused for resources with the same ResourcePlan object.
[[nodiscard]] std::vector<Match> matches_of(const rules::Plan& plan, const DeviceFactsPtr& facts,
                                            const PreviousDevice* before = nullptr);

}  // namespace patchbay::inventory
