#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "inventory/snapshot.h"
#include "rules/plan/plan.h"

namespace patchbay::inventory {

/// A unit that a container has. For a shared unit also its shares, sorted.
struct Grant {
  const Unit* unit = nullptr;
  std::vector<size_t> shares;
};

/// One use of an entry: the device of each role of a unit that it is for, and the share.
struct Binding {
  Role role = 0;
  size_t index = 0;
  std::optional<size_t> share;
};

/// The bindings of an entry with this multiplicity for a unit. Empty if the unit lacks a member.
/// Fails if two of the roles have several devices: the pairing of their devices is unknown.
[[nodiscard]] Result<std::vector<Binding>> bindings_of(const rules::GroupPlan& group,
                                                       const rules::Multiplicity& multiplicity,
                                                       const Grant& grant);

/// The values of one unit for the templates of a group. Each role uses its first device unless
/// choose() selects another. A view: its inputs must outlive it.
class UnitScope {
 public:
  UnitScope(const rules::ResourcePlan& resource, const UnitMembers& members, const std::string& id);
  UnitScope(const UnitScope&) = delete;
  UnitScope& operator=(const UnitScope&) = delete;

  void set_id(const std::string& id) { scope_.id = id; }
  /// Selects the device of a role from now on.
  void choose(Role role, size_t index);
  void set_unit(size_t unit) { scope_.unit = unit; }
  void set_slot(size_t slot) { scope_.slot = slot; }
  void set_share(std::optional<size_t> share, size_t taken) {
    scope_.share = share;
    scope_.shares = taken;
  }

  [[nodiscard]] const rules::RenderScope& scope() const { return scope_; }
  /// The selected device of that member; of the group's own devices if the name is empty.
  [[nodiscard]] const DeviceFacts* device(std::string_view member) const;
  /// Whether that device is the first one with its number in the unit. A unit can have a device
  /// node both as a path and as a kernel device.
  [[nodiscard]] bool is_first_form(std::string_view member) const;

 private:
  const rules::GroupPlan& group_;
  const UnitMembers& unit_;
  std::vector<rules::MemberScope> members_;
  rules::RenderScope scope_;
};

}  // namespace patchbay::inventory
