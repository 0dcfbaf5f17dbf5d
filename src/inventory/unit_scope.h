#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inventory/snapshot.h"
#include "rules/plan/plan.h"

namespace patchbay::inventory {

/// A unit that a container gets. For a shared unit, also the shares that the container gets,
/// sorted.
struct Grant {
  const Unit* unit = nullptr;
  std::vector<size_t> shares;
  size_t request = 0;  ///< Number of the unit's request in a ResourceClaim; 0 without one.
  /// $(claim) and $(request). Without a ResourceClaim, for a preview, they are these words.
  std::string_view claim = "claim";
  std::string_view request_name = "request";
};

/// One repetition of an entry for a unit. The role `role` uses its device at the position `index`.
/// All other roles use their first device. `share` is set if the entry is repeated for each share.
struct Binding {
  Role role = 0;
  size_t index = 0;
  std::optional<size_t> share;
};

/// Returns a binding for each repetition of an entry with this multiplicity. Empty if the unit
/// lacks a member that the entry needs. Fails if two roles that the entry uses have several
/// devices, because their pairs would be ambiguous.
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
  /// Selects the device of a role.
  void choose(Role role, size_t index);
  void set_unit(size_t unit) { scope_.unit = unit; }
  void set_slot(size_t slot) { scope_.slot = slot; }
  void set_share(std::optional<size_t> share, size_t taken) {
    scope_.share = share;
    scope_.shares = taken;
  }
  void set_claim(std::string_view claim, std::string_view request) {
    scope_.claim = claim;
    scope_.request = request;
  }

  [[nodiscard]] const rules::RenderScope& scope() const { return scope_; }
  /// The selected device of that member, or of role 0 if the name is empty; null if there is none.
  [[nodiscard]] const DeviceFacts* device(std::string_view member) const;
  /// Whether that device is the first of the unit with its device number. A unit can contain a
  /// device twice: as a kernel device, and as the path of its device node.
  [[nodiscard]] bool is_first_form(std::string_view member) const;

 private:
  const rules::GroupPlan& group_;
  const UnitMembers& unit_;
  std::vector<rules::MemberScope> members_;
  rules::RenderScope scope_;
};

}  // namespace patchbay::inventory
