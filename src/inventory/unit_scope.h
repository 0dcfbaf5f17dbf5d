#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inventory/snapshot.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// Where the templates of a group find the values of one unit: of the first device of each role,
/// unless another is chosen. A view of all that it is made of.
class UnitScope {
 public:
  UnitScope(const rules::ResourcePlan& resource, const UnitMembers& members, const std::string& id);
  UnitScope(const UnitScope&) = delete;
  UnitScope& operator=(const UnitScope&) = delete;

  void set_id(const std::string& id) { scope_.id = id; }
  /// Which of the devices of a role is meant from now on.
  void choose(Role role, size_t index);
  void set_unit(size_t unit) { scope_.unit = unit; }
  void set_slot(size_t slot) { scope_.slot = slot; }
  void set_share(std::optional<size_t> share, size_t taken) {
    scope_.share = share;
    scope_.shares = taken;
  }

  [[nodiscard]] const rules::RenderScope& scope() const { return scope_; }
  /// The device that is meant by that member; by the matched devices, if the name is empty.
  [[nodiscard]] const DeviceFacts* device(std::string_view member) const;
  /// Whether that device is the first one of its number in the unit: a unit may have a device node
  /// as a path and as a device of the kernel.
  [[nodiscard]] bool is_first_form(std::string_view member) const;

 private:
  const rules::GroupPlan& group_;
  const UnitMembers& unit_;
  std::vector<rules::MemberScope> members_;
  rules::RenderScope scope_;
};

}  // namespace patchbay::inventory
