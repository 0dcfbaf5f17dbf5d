#include "rules/plan/plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "rules/text/text_use.h"

namespace patchbay::rules {
namespace {

Result<UnitId> base_id(const GroupPlan& group, const RenderScope& scope) {
  if (!group.id && !group.by) return default_id(*scope.device.facts);
  auto text = group.id ? group.id->render(scope) : finish_text(std::string(scope.by), TextUse::id);
  if (!text) return std::unexpected(std::move(text).error());
  return UnitId{*std::move(text), group.id ? IdSource::written : IdSource::by};
}

}  // namespace

const Matcher& GroupPlan::matcher(Role role) const {
  return role == 0 ? match : members[role - 1].match;
}

const SizeRange& GroupPlan::size_of(Role role) const {
  return role == 0 ? size : members[role - 1].size;
}

std::string GroupPlan::name_of(Role role) const {
  return role == 0 ? "devices that match" : fmt::format("'{}'", members[role - 1].name);
}

const Template* GroupPlan::by_of(Role role) const {
  if (!by) return nullptr;
  return role == 0 ? &*by : &members[role - 1].by;
}

WantedFacts GroupPlan::wanted(Role role) const {
  WantedFacts wanted;
  matcher(role).want(wanted);
  // The choice of units and the reported topology need the NUMA node.
  if (role == 0) wanted.add(Fact::numa_node);
  if (by) by_of(role)->want(wanted);
  const std::string_view member = role == 0 ? std::string_view() : members[role - 1].name;
  if (id) id->want(wanted, member);
  if (!id && !by) want_default_id(match.kind(), wanted);
  if (share) share->want(wanted, member);
  for (const DeviceEntry& entry : devices) entry.want(wanted, member);
  for (const MountEntry& entry : mounts) entry.want(wanted, member);
  for (const EnvEntry& entry : envs) entry.want(wanted, member);
  for (const AnnotationEntry& entry : annotations) entry.want(wanted, member);
  for (const CdiEntry& entry : cdi_names) entry.want(wanted, member);
  for (const ProbePlan& probe : health) probe.want(wanted, member);
  for (const StepList list : kStepLists) {
    for (const StepPlan& step : this->*list) step.want(wanted, member);
  }
  for (const AttributePlan& attribute : attributes) attribute.want(wanted, member);
  return wanted;
}

Result<UnitId> GroupPlan::render_id(const RenderScope& scope) const {
  auto made = base_id(*this, scope);
  if (!made) return made;
  if (share) made->text = shorten_id(made->text, kMaxSharedIdLength);
  return made;
}

bool ResourcePlan::choice_matters() const {
  if (prefer != std::vector{Preference::numa}) return true;
  return std::ranges::any_of(groups, [](const GroupPlan& group) {
    const RuleKind kind = group.match.kind();
    return group.share || kind == RuleKind::subsystem || kind == RuleKind::sysfs;
  });
}

size_t ResourcePlan::expected() const {
  size_t units = 0;
  for (const GroupPlan& group : groups) units += group.expect;
  return units;
}

bool ResourcePlan::has_pre_start_steps() const {
  return std::ranges::any_of(groups,
                             [](const GroupPlan& group) { return !group.pre_start.empty(); });
}

PlanPtr reuse_unchanged(const PlanPtr& plan, const Plan& before) {
  auto kept = std::make_shared<Plan>(*plan);
  for (ResourcePlanPtr& resource : kept->resources) {
    const auto same = std::ranges::find(before.resources, resource->name, &ResourcePlan::name);
    if (same != before.resources.end() && **same == *resource) resource = *same;
  }
  return kept;
}

}  // namespace patchbay::rules
