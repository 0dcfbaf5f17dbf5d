#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/facts.h"
#include "base/text.h"
#include "inventory/make_unit.h"
#include "inventory/snapshot.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// Which devices of a group a device belongs with.
struct Grouping {
  Captures captures{};
  std::string by{};     ///< The text that they have in common; see `fault`.
  std::string fault{};  ///< Why that is not known; empty if it is.
};

/// One rule that a device matches, with all that follows from the device alone.
struct Match {
  rules::Rule rule;  ///< Of members that are equal (RuleIndex), the first: it is for all.
  MadeUnitPtr standalone_unit{};  ///< The unit that it is, where the group has no `by`; else null.
  std::shared_ptr<const Grouping> shared_grouping{};  ///< Where the group has a `by`; else null.

  [[nodiscard]] const std::string& by() const { return grouping().by; }
  [[nodiscard]] const std::string& fault() const { return grouping().fault; }
  [[nodiscard]] const Captures& captures() const { return grouping().captures; }

 private:
  [[nodiscard]] const Grouping& grouping() const;
};

/// A device and what the plan makes of it.
struct KnownDevice {
  DeviceFactsPtr facts;
  std::vector<Match> matches;  ///< In order of the plan.
};

/// By DeviceFacts::key, in natural order. The keys are those of the facts that stand there.
using DeviceTable = std::map<std::string_view, KnownDevice, NaturalLess>;

/// What another plan made of a device.
struct PreviousDevice {
  const KnownDevice& device;
  const rules::Plan& plan;
};

/// Every rule of the plan that the device matches and that does not wait for unread facts of it.
/// What `before` has of the same facts for the very same ResourcePlan is taken over.
[[nodiscard]] std::vector<Match> matches_of(const rules::Plan& plan, const DeviceFactsPtr& facts,
                                            const PreviousDevice* before = nullptr);

}  // namespace patchbay::inventory
