#include "inventory/unit_scope.h"

#include <algorithm>

#include <fmt/format.h>

namespace patchbay::inventory {
namespace {

Role role_of(const rules::GroupPlan& group, const std::string& member) {
  const auto found = std::ranges::find(group.members, member, &rules::MemberPlan::name);
  return static_cast<Role>(found - group.members.begin()) + 1;
}

}  // namespace

Result<std::vector<Binding>> bindings_of(const rules::GroupPlan& group,
                                         const rules::Multiplicity& multiplicity,
                                         const Grant& grant) {
  const UnitMembers& members = *grant.unit->members;
  const auto lacks = [&](const std::string& name) {
    return members.of(role_of(group, name)).empty();
  };
  std::vector<Binding> bindings;
  if (std::ranges::any_of(multiplicity.required, lacks)) return bindings;
  std::vector<Role> several;
  if (multiplicity.matched && members.of(0).size() > 1) several.push_back(0);
  for (const std::string& name : multiplicity.members) {
    const Role role = role_of(group, name);
    if (members.of(role).size() > 1) several.push_back(role);
  }
  if (several.size() > 1) {
    return fail(fmt::format("names several {} and several {}: their pairs are ambiguous",
                            group.name_of(several[0]), group.name_of(several[1])));
  }
  const Role role = several.empty() ? 0 : several.front();
  const size_t devices = several.empty() ? 1 : members.of(role).size();
  for (size_t index = 0; index < devices; ++index) {
    if (!multiplicity.shares) bindings.push_back({role, index, std::nullopt});
    for (const size_t share : multiplicity.shares ? grant.shares : std::vector<size_t>{}) {
      bindings.push_back({role, index, share});
    }
  }
  return bindings;
}

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
