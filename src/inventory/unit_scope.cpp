#include "inventory/unit_scope.h"

#include <algorithm>

namespace patchbay::inventory {

UnitScope::UnitScope(const rules::ResourcePlan& resource, const UnitMembers& members,
                     const std::string& id)
    : group_(resource.groups[members.group]), unit_(members) {
  for (const rules::MemberPlan& member : group_.members) {
    members_.push_back({.name = member.name, .device = {}});
  }
  for (Role role = 0; role < group_.roles(); ++role) choose(role, 0);
  scope_.members = members_;
  scope_.by = members.by;
  scope_.id = id;
  scope_.resource = resource.name;
  scope_.node = resource.node;
}

void UnitScope::choose(Role role, size_t index) {
  const auto devices = unit_.of(role);
  if (index >= devices.size()) return;
  const UnitDevice& device = devices[index];
  const rules::DeviceScope chosen{.facts = device.facts.get(),
                                  .captures = &device.captures,
                                  .path = group_.matcher(role).found_path(*device.facts)};
  (role == 0 ? scope_.device : members_[role - 1].device) = chosen;
}

const DeviceFacts* UnitScope::device(std::string_view member) const {
  if (member.empty()) return scope_.device.facts;
  const auto found = std::ranges::find(members_, member, &rules::MemberScope::name);
  return found == members_.end() ? nullptr : found->device.facts;
}

bool UnitScope::is_first_form(std::string_view member) const {
  const DeviceFacts* const meant = device(member);
  if (meant == nullptr || !meant->number) return true;
  const auto has_entry = [&](Role role) {
    const std::string_view name = role == 0 ? std::string_view() : members_[role - 1].name;
    return std::ranges::any_of(group_.devices, [&](const rules::DeviceEntry& entry) {
      return !entry.host_path && entry.member == name;
    });
  };
  const auto first = std::ranges::find_if(unit_.devices, [&](const UnitDevice& other) {
    return other.facts->number == meant->number && has_entry(other.role);
  });
  return first == unit_.devices.end() || first->facts.get() == meant;
}

}  // namespace patchbay::inventory
