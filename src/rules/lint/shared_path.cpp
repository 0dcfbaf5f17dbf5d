#include <fnmatch.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/lint/single_device.h"
#include "rules/lint/warnings.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {

namespace {

class SharedPathFinder {
 public:
  SharedPathFinder(const config::MatchSpec& match, const GroupPlan& group,
                   config::Diagnostics& diagnostics)
      : group_(group), diagnostics_(diagnostics) {
    one_unit_ = group.by ? is_same_for_all_units(*group.by) : matches_single_device(match);
  }

  void check_path(const Template& host, const std::optional<Template>& container, bool device) {
    if (!container || !is_same_for_all_units(*container)) return;
    // Units of several ResourceClaims or requests have different paths.
    const auto of_pod = [](const auto& use) { return info(*use.variable).of_pod(); };
    if (std::ranges::any_of(container->uses(), of_pod)) return;
    bool several = false;
    bool of_shares = true;
    for (const Template::VariableUse& use : host.uses()) {
      if (!differs_per_device(*use.variable, device) || !has_several(*use.variable)) continue;
      several = true;
      of_shares = of_shares && use.variable->variable == Variable::share;
    }
    if (!several) return;
    const std::string_view owner = of_shares   ? "all shares of a unit"
                                   : one_unit_ ? "all devices of the unit"
                                               : "all units";
    diagnostics_.warning(container->at(),
                         fmt::format("'{}' is one path for {}: no container can get two of them",
                                     container->text(), owner),
                         hint(container->text(), of_shares));
  }

 private:
  [[nodiscard]] std::string hint(const std::string& path, bool of_shares) const {
    std::string out = fmt::format("write {}{} to give each its own path", path,
                                  group_.writes_cdi ? "-$(id)" : "$(slot)");
    if (one_unit_ && group_.by && !of_shares) return out + "; or, for only one device, size: 1";
    if (one_unit_ || of_shares || group_.by) return out;
    const std::string_view name = base_name(path);
    return out + fmt::format("; or, if a node has only one device, by: {}, size: 1",
                             name.find_first_of("$%{") == std::string_view::npos ? name : "NAME");
  }

  /// Whether a container can get two values of the variable.
  [[nodiscard]] bool has_several(const VariableRef& ref) const {
    if (ref.variable == Variable::share) {
      return group_.share->per_container != std::optional<size_t>(1);
    }
    if (!one_unit_) return true;
    if (!ref.of_device() || !group_.by) return false;
    if (ref.member.empty()) return group_.size.max > 1;
    const auto member = std::ranges::find(group_.members, ref.member, &MemberPlan::name);
    return member != group_.members.end() && member->size.max > 1;
  }

  const GroupPlan& group_;
  config::Diagnostics& diagnostics_;
  bool one_unit_ = false;
};

/// Whether the match can find the node, and others.
bool is_one_of_found(const config::MatchSpec& match, const std::string& node) {
  const auto finds = [](const std::string& pattern, std::string_view text) {
    return pattern.find_first_of("*?[") != std::string::npos &&
           ::fnmatch(pattern.c_str(), std::string(text).c_str(), FNM_PATHNAME) == 0;
  };
  const config::ConditionSpec* const name = match.find(Fact::name);
  return (name != nullptr && finds(name->text, base_name(node))) ||
         std::ranges::any_of(match.glob,
                             [&](const auto& pattern) { return finds(pattern.value, node); });
}

/// Warns if each of several units gives a container the same nodes.
void warn_of_constant_nodes(const config::MatchSpec& match, const GroupPlan& group,
                            config::Diagnostics& diagnostics) {
  const auto all_equal = [](const auto& entries) {
    return std::ranges::none_of(entries,
                                [](const auto& entry) { return entry.multiplicity.per_unit; });
  };
  if (!all_equal(group.devices)) return;
  if (group.by ? is_same_for_all_units(*group.by) : matches_single_device(match)) return;
  const bool units_are_alike = match.static_names.empty() && match.glob.empty() &&
                               !identifies_each_device(match) && all_equal(group.envs) &&
                               all_equal(group.mounts) && all_equal(group.annotations) &&
                               all_equal(group.cdi_names);
  // A number at the end distinguishes the node from others.
  const auto node = std::ranges::find_if(group.devices, [&](const DeviceEntry& device) {
    const std::string& path = device.host_path->text();
    return is_one_of_found(match, path) || (units_are_alike && is_digit(path.back()));
  });
  if (node == group.devices.end()) return;
  diagnostics.warning(node->host_path->at(),
                      fmt::format("every container gets '{}', whichever device it is allocated",
                                  node->host_path->text()),
                      fmt::format("write {}; or, if a node has only one device, by: NAME, size: 1",
                                  match.glob.empty() ? "$(devnode)" : "$(path)"));
}

}  // namespace

void warn_of_shared_paths(const config::MatchSpec& match, const GroupPlan& group,
                          config::Diagnostics& diagnostics) {
  warn_of_constant_nodes(match, group, diagnostics);
  SharedPathFinder finder(match, group, diagnostics);
  for (const DeviceEntry& device : group.devices) {
    if (device.host_path) finder.check_path(*device.host_path, device.container_path, true);
  }
  for (const MountEntry& mount : group.mounts) {
    finder.check_path(mount.host_path, mount.container_path, false);
  }
}

}  // namespace patchbay::rules
