#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/diagnostics.h"
#include "model/facts.h"
#include "rules/match/matcher.h"
#include "rules/match/mismatch.h"
#include "rules/match/size_range.h"
#include "rules/plan/attribute.h"
#include "rules/plan/default_id.h"
#include "rules/plan/entry.h"
#include "rules/plan/plan_fwd.h"
#include "rules/plan/probe.h"
#include "rules/plan/rule_index.h"
#include "rules/plan/share.h"
#include "rules/plan/step.h"
#include "rules/text/position.h"
#include "rules/text/template.h"

/// The compiled configuration. rules::compile() makes a Plan from config::Spec. Host reads the
/// facts that the plan needs (rules::host_query()), and Inventory makes the units.
///
/// To add a value, follow the steps for a key in config/spec.h. The steps in this folder:
/// - Add a field whose operator== compares the meaning and not the text as written.
/// - Add the key to plan_changes.cpp. A reload logs the key if the value changes.
/// - If the value has a template or a condition, add its facts in GroupPlan::wanted().
namespace patchbay::rules {

using config::Preference;

/// The role of a device in a unit. The devices that the group matches have role 0. The devices of
/// GroupPlan::members[i] have role i + 1.
using Role = size_t;

/// A compiled member: further devices that join a unit.
struct MemberPlan {
  std::string name;
  Matcher match;
  Template by;  ///< `by` of the member; if the member has no `by`, `by` of the group.
  SizeRange size;
  bool shares_claims = false;  ///< `claim: shared`: see ResourcePlan::shares_claims.
  friend bool operator==(const MemberPlan&, const MemberPlan&) = default;
};

/// A compiled group. Immutable.
struct GroupPlan {
  WrittenAt at;
  std::optional<Matcher> when;
  Matcher match;
  std::optional<Template> by;       ///< Null: each matching device is one unit without members.
  SizeRange size;                   ///< Number of matching devices in one unit.
  std::vector<MemberPlan> members;  ///< Sorted by name.
  size_t expect = 0;                ///< Number of healthy units that the node should have; 0: any.
  std::optional<Template> id;       ///< Null: the text of `by`; without `by`, default_id().
  std::optional<SharePlan> share;
  std::vector<DeviceEntry> devices;
  std::vector<MountEntry> mounts;
  /// Sorted by name as written, because the order of keys in a file has no meaning. The annotations
  /// are sorted in the same way.
  std::vector<EnvEntry> envs;
  std::vector<AnnotationEntry> annotations;
  /// `cdi: write`: Patchbay's CDI spec has the devices and mounts.
  bool writes_cdi = false;
  std::vector<CdiEntry> cdi_names;  ///< Devices in CDI specs of other programs.
  std::vector<ProbePlan> health;
  std::vector<StepPlan> pre_start;
  std::vector<StepPlan> release;          ///< Only with Serve::dra.
  std::vector<AttributePlan> attributes;  ///< Sorted by name. Only with Serve::dra.

  [[nodiscard]] size_t roles() const { return members.size() + 1; }
  [[nodiscard]] const Matcher& matcher(Role role) const;
  [[nodiscard]] const SizeRange& size_of(Role role) const;
  /// Returns the name of the role for messages. The name of role 0 is the text "devices that
  /// match". The name of another role is the name of the member in quotes.
  [[nodiscard]] std::string name_of(Role role) const;
  /// Whether the role is a member with `claim: shared`, so that other groups can claim the same
  /// devices. Does not check ResourcePlan::shares_claims.
  [[nodiscard]] bool shares_claims(Role role) const {
    return role != 0 && members[role - 1].shares_claims;
  }
  /// The text that the devices of one unit have in common. Null if the group has no `by`.
  [[nodiscard]] const Template* by_of(Role role) const;
  /// Returns the facts of a device in this role that the matcher, the templates and the default id
  /// use. For role 0, the NUMA node is included. Omits facts with Cost::none, which need no read,
  /// and facts with Cost::file, which HostQuery::files covers.
  [[nodiscard]] WantedFacts wanted(Role role) const;
  /// Maximum number of shares of one unit in a container. The kubelet counts each share as a
  /// device.
  [[nodiscard]] size_t max_per_container() const {
    return share && share->per_container ? *share->per_container : SharePlan::kMaxShares;
  }
  /// The id of a unit, or the reason why the unit has no id.
  [[nodiscard]] Result<UnitId> render_id(const RenderScope& scope) const;
  friend bool operator==(const GroupPlan&, const GroupPlan&) = default;
};

/// The lists of steps of a group.
using StepList = std::vector<StepPlan> GroupPlan::*;
inline constexpr std::array<StepList, 2> kStepLists{&GroupPlan::pre_start, &GroupPlan::release};

/// A compiled resource. A ResourcePlan refers to nothing in its Plan, and can outlive the Plan.
/// Resources, groups and entries are equal if they have the same meaning. Their positions in the
/// file are not compared.
struct ResourcePlan {
  std::string name;  ///< Full name: "lab.example.com/ftdi-uart".
  std::string node;  ///< Value of $(node).
  WrittenAt at;
  std::string description;
  std::optional<Matcher> when;
  bool shares_claims = false;  ///< `claim: shared`: the resource claims no devices, and ignores
                               ///< the claims of other resources.
  std::chrono::milliseconds linger{};
  /// The most important preference is first. Each further preference orders only the units that the
  /// earlier preferences rank equal. Never empty.
  std::vector<Preference> prefer;
  bool reports_topology = true;     ///< `topology: auto`
  bool writes_device_info = false;  ///< `deviceInfo: pci`
  config::Serve serve = config::Serve::device_plugin;
  std::string driver;  ///< With Serve::dra: the name of the DRA driver. Otherwise empty.
  std::chrono::milliseconds release_timeout{};  ///< With Serve::dra: `dra.releaseTimeout`.
  std::vector<GroupPlan> groups;                ///< The first matching group gets the device.

  /// Whether GetPreferredAllocation is useful. The call is not useful if `prefer` is the default
  /// and no unit can have a NUMA node or be shared.
  [[nodiscard]] bool choice_matters() const;
  /// The number of healthy units that the node should have. 0 means any number.
  [[nodiscard]] size_t expected() const;
  /// Whether there are steps before a container starts.
  [[nodiscard]] bool has_pre_start_steps() const;

  friend bool operator==(const ResourcePlan&, const ResourcePlan&) = default;
};

/// A resource, or one of its groups, that is excluded on this node.
struct Excluded {
  std::string resource;         ///< Full name.
  std::optional<size_t> group;  ///< Index of the group as configured; null: the whole resource.
  config::Position at;          ///< Position of the resource or the group.
  std::vector<Mismatch> reasons;
  bool unresponsive = false;  ///< Not evaluated yet: a path in `when` is unresponsive.
};

/// A compiled configuration. Immutable once made; any thread may read it.
struct Plan {
  std::string driver;  ///< `dra.driver`: the name of the DRA driver. Empty if there is none.
  std::vector<ResourcePlanPtr> resources;  ///< The first matching resource gets the device.
  RuleIndex index;                         ///< Index of the matchers of all groups.
  std::vector<Excluded> excluded;          ///< Items removed by filter_for_node(), in order.

  [[nodiscard]] const GroupPlan& group(const Rule& rule) const {
    return resources[rule.resource]->groups[rule.group];
  }
};

/// Returns `plan` with the resource objects of `before` for resources with the same meaning. In the
/// result, a resource has the same pointer as in `before` if, and only if, it has the same meaning.
[[nodiscard]] PlanPtr reuse_unchanged(const PlanPtr& plan, const Plan& before);

}  // namespace patchbay::rules
