#include "rules/plan/plan_changes.h"

#include <algorithm>

namespace patchbay::rules {
namespace {

const ResourcePlan* find_resource(const Plan& plan, const std::string& name) {
  const auto found = std::ranges::find(plan.resources, name, &ResourcePlan::name);
  return found == plan.resources.end() ? nullptr : found->get();
}

/// Collects the keys of fields that differ, in the order of comparison.
template <typename Block>
class Differences {
 public:
  Differences(const Block& before, const Block& now, std::vector<std::string_view>& keys)
      : before_(before), now_(now), keys_(keys) {}

  template <typename Field>
  Differences& in(Field Block::*field, std::string_view key) {
    const bool noted = std::ranges::find(keys_, key) != keys_.end();
    if (!noted && before_.*field != now_.*field) keys_.push_back(key);
    return *this;
  }

 private:
  const Block& before_;
  const Block& now_;
  std::vector<std::string_view>& keys_;
};

void note_group(const GroupPlan& before, const GroupPlan& now,
                std::vector<std::string_view>& keys) {
  Differences(before, now, keys)
      .in(&GroupPlan::when, "when")
      .in(&GroupPlan::match, "match")
      .in(&GroupPlan::by, "by")
      .in(&GroupPlan::size, "size")
      .in(&GroupPlan::members, "members")
      .in(&GroupPlan::expect, "expect")
      .in(&GroupPlan::id, "id")
      .in(&GroupPlan::share, "share")
      .in(&GroupPlan::devices, "devices")
      .in(&GroupPlan::mounts, "mounts")
      .in(&GroupPlan::envs, "envs")
      .in(&GroupPlan::annotations, "annotations")
      .in(&GroupPlan::writes_cdi, "cdi")
      .in(&GroupPlan::cdi_names, "cdi")
      .in(&GroupPlan::health, "health")
      .in(&GroupPlan::pre_start, "preStart")
      .in(&GroupPlan::release, "release")
      .in(&GroupPlan::attributes, "dra");
}

std::vector<std::string_view> differing_keys(const ResourcePlan& before, const ResourcePlan& now) {
  std::vector<std::string_view> keys;
  Differences(before, now, keys)
      .in(&ResourcePlan::description, "description")
      .in(&ResourcePlan::when, "when")
      .in(&ResourcePlan::shares_claims, "claim")
      .in(&ResourcePlan::linger, "linger")
      .in(&ResourcePlan::prefer, "prefer")
      .in(&ResourcePlan::reports_topology, "topology")
      .in(&ResourcePlan::writes_device_info, "deviceInfo")
      .in(&ResourcePlan::serve, "serve");
  // Without another `serve`, these values differ in `dra:` of the file.
  if (before.serve == now.serve) {
    Differences(before, now, keys)
        .in(&ResourcePlan::driver, "dra")
        .in(&ResourcePlan::release_timeout, "dra");
  }
  if (before.groups.size() != now.groups.size()) {
    keys.emplace_back("groups");
  } else {
    for (size_t i = 0; i < now.groups.size(); ++i) {
      note_group(before.groups[i], now.groups[i], keys);
    }
  }
  return keys;
}

/// Whether each group of `before` is at the same index of `now`, and names its units by the same
/// rule.
bool same_ids(const ResourcePlan& before, const ResourcePlan& now) {
  return before.groups.size() <= now.groups.size() &&
         std::equal(before.groups.begin(), before.groups.end(), now.groups.begin(),
                    [](const GroupPlan& a, const GroupPlan& b) {
                      return a.id == b.id && (a.id || a.by == b.by);
                    });
}

/// A null `now` means that the resource is removed.
bool claims_outlive_edit(const ResourcePlan& before, const ResourcePlan* now) {
  return before.serve == config::Serve::dra &&
         (now == nullptr || now->driver != before.driver || !same_ids(before, *now));
}

}  // namespace

std::vector<ResourceChange> changes_between(const Plan& before, const Plan& now) {
  using Kind = ResourceChange::Kind;
  std::vector<ResourceChange> changes;
  for (const ResourcePlanPtr& resource : now.resources) {
    const ResourcePlan* const old = find_resource(before, resource->name);
    if (old == nullptr) {
      changes.push_back({resource->name, Kind::added});
    } else if (*old == *resource) {
      changes.push_back({resource->name, Kind::kept});
    } else {
      changes.push_back(
          {resource->name, same_registration(*old, *resource) ? Kind::changed : Kind::reregistered,
           differing_keys(*old, *resource), claims_outlive_edit(*old, resource.get())});
    }
  }
  for (const ResourcePlanPtr& resource : before.resources) {
    if (find_resource(now, resource->name) == nullptr) {
      changes.push_back(
          {resource->name, Kind::removed, {}, claims_outlive_edit(*resource, nullptr)});
    }
  }
  return changes;
}

bool equivalent(const Plan& a, const Plan& b) {
  return a.driver == b.driver &&
         std::ranges::equal(a.resources, b.resources,
                            [](const auto& one, const auto& other) { return *one == *other; });
}

bool same_registration(const ResourcePlan& a, const ResourcePlan& b) {
  // The device plugin of a resource with `serve: dra` is not registered.
  if (a.serve == config::Serve::dra || b.serve == config::Serve::dra) return true;
  return a.has_pre_start_steps() == b.has_pre_start_steps() &&
         a.choice_matters() == b.choice_matters();
}

}  // namespace patchbay::rules
