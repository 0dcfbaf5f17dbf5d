#include "inventory/bindings.h"

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

}  // namespace patchbay::inventory
