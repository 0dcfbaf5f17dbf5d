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

/// The text that assigns a device to a unit of its group.
struct Grouping {
  Captures captures{};
  std::string by{};     ///< The text that all devices of the unit have in common; see `fault`.
  std::string fault{};  ///< Why that text is unknown; empty if it is known.
};

/// One rule that a device matches, with all data that depends only on the device.
struct Match {
  rules::Rule rule;  ///< The first of several equal members (RuleIndex); it represents them all.
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

/// By DeviceFacts::key, in natural order. The keys refer to the facts of the entry.
using DeviceTable = std::map<std::string_view, KnownDevice, NaturalLess>;

/// The matches of a device under another plan.
struct PreviousDevice {
  const KnownDevice& device;
  const rules::Plan& plan;
};

/// Every rule of the plan that the device matches, except rules that wait for unread facts of it.
/// Reuses the matches of `before` for the same facts and the same ResourcePlan object.
[[nodiscard]] std::vector<Match> matches_of(const rules::Plan& plan, const DeviceFactsPtr& facts,
                                            const PreviousDevice* before = nullptr);

}  // namespace patchbay::inventory
