#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/facts.h"
#include "base/result.h"
#include "config/diagnostics.h"
#include "rules/count.h"
#include "rules/default_id.h"
#include "rules/entry.h"
#include "rules/excluded.h"
#include "rules/matcher.h"
#include "rules/position.h"
#include "rules/probe.h"
#include "rules/rule_index.h"
#include "rules/share.h"
#include "rules/step.h"
#include "rules/template.h"

namespace patchbay::rules {

using config::Preference;

/// A part of a unit: 0 are the devices that the group matches, N + 1 those of its Nth member.
using Role = size_t;

/// Which further devices join a unit, compiled.
struct MemberPlan {
  std::string name;
  Matcher match;
  Template by;  ///< Its own, or the group's.
  Count count;
  bool shares_claims = false;  ///< `claim: shared`: as ResourcePlan::shares_claims, of its devices.
  friend bool operator==(const MemberPlan&, const MemberPlan&) = default;
};

/// One group, compiled. Immutable data: it can be printed and compared.
struct GroupPlan {
  WrittenAt at;
  std::optional<Matcher> when;
  Matcher match;
  std::optional<Template> by;       ///< Null: each device that matches is a unit, without members.
  Count count;                      ///< Of the devices that match, in one unit.
  std::vector<MemberPlan> members;  ///< By name.
  std::optional<Template> id;       ///< Null: `by`, else default_id().
  std::optional<SharePlan> share;
  std::vector<DeviceEntry> devices;
  std::vector<MountEntry> mounts;
  std::vector<EnvEntry> envs;                ///< In order of their names as written: the order of
  std::vector<AnnotationEntry> annotations;  ///< keys in a file means nothing.
  bool writes_cdi = false;                   ///< Devices and mounts go into a CDI spec of ours.
  std::vector<CdiEntry> cdi_names;           ///< Devices in CDI specs of others.
  std::vector<ProbePlan> health;
  std::optional<FlapPlan> flap;
  std::vector<StepPlan> pre_start;

  [[nodiscard]] size_t roles() const { return members.size() + 1; }
  [[nodiscard]] const Matcher& matcher(Role role) const;
  [[nodiscard]] const Count& count_of(Role role) const;
  /// "devices that match", or the member's name in quotes.
  [[nodiscard]] std::string name_of(Role role) const;
  /// Whether its devices may be others', too, whatever the resource says.
  [[nodiscard]] bool shares_claims(Role role) const {
    return role != 0 && members[role - 1].shares_claims;
  }
  /// What the devices of one unit have in common; null if the group has no `by`.
  [[nodiscard]] const Template* by_of(Role role) const;
  /// The costly facts of the devices of that role that matching and the templates look at.
  [[nodiscard]] WantedFacts wanted(Role role) const;
  /// How many of the kubelet's devices of one unit a container may get.
  [[nodiscard]] size_t most_per_container() const {
    return share && share->per_container ? *share->per_container : SharePlan::kMaxShares;
  }
  /// The id of a unit, or why there is none.
  [[nodiscard]] Result<UnitId> render_id(const RenderScope& scope) const;
  friend bool operator==(const GroupPlan&, const GroupPlan&) = default;
};

/// One resource, compiled. It stands by itself: what is made of it keeps it, not the whole Plan.
/// Equal when they mean the same, wherever they stand; so are the parts of it.
struct ResourcePlan {
  std::string name;  ///< Whole: "lab.example.com/ftdi-uart".
  std::string node;  ///< $(node).
  WrittenAt at;
  std::string description;
  std::optional<Matcher> when;
  bool shares_claims = false;  ///< `claim: shared`: it neither makes nor minds claims of others.
  std::chrono::milliseconds settle{};
  std::chrono::milliseconds linger{};
  std::vector<Preference> prefer;  ///< In order; the next breaks the ties of the last. Never empty.
  bool reports_topology = true;    ///< `topology: auto`
  bool writes_device_info = false;  ///< `deviceInfo: pci`
  std::vector<GroupPlan> groups;    ///< In order: the first that matches a device has it.

  /// Whether it can matter which units a container gets: always, but where no unit can have a NUMA
  /// node or be shared and `prefer` is the default.
  [[nodiscard]] bool choice_matters() const;
  /// Whether something is to be done before a container starts.
  [[nodiscard]] bool has_pre_start_steps() const;

  friend bool operator==(const ResourcePlan&, const ResourcePlan&) = default;
};

using ResourcePlanPtr = std::shared_ptr<const ResourcePlan>;

/// Everything a configuration says, compiled. Immutable once made; any thread may read it.
struct Plan {
  std::vector<ResourcePlanPtr> resources;  ///< In order: the first that matches a device has it.
  RuleIndex index;                         ///< Of the matchers of all groups.
  std::vector<Excluded> excluded;          ///< What filter_for_node() took away, in order.

  [[nodiscard]] const GroupPlan& group(const Rule& rule) const {
    return resources[rule.resource]->groups[rule.group];
  }
};

using PlanPtr = std::shared_ptr<const Plan>;

/// The same plan with the very resources of `before` where they mean the same: what was made of
/// these is known by that to be of this plan, too.
[[nodiscard]] PlanPtr reuse_unchanged(const PlanPtr& plan, const Plan& before);

}  // namespace patchbay::rules
