#include "rules/lint/shared_path.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/lint/single_device.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {

bool differs_per_device(const VariableRef& ref, bool read) {
  switch (ref.variable) {
    case Variable::by:
    case Variable::id:
    case Variable::share:
      return true;
    case Variable::capture:
      return read;
    case Variable::fact:
      break;
    default:
      return false;
  }
  switch (ref.fact) {
    case Fact::name:
    case Fact::devnode:
    case Fact::syspath:
    case Fact::path:
    case Fact::link:
      // Several devices can be below one ancestor.
      return ref.above.empty();
    case Fact::usb:
      return ref.argument == "serial" || ref.argument == "port";
    case Fact::pci:
      return ref.argument == "address" || ref.argument == "vf";
    case Fact::attribute:
    case Fact::property:
      return read;
    default:
      return false;
  }
}

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

}  // namespace

void warn_of_shared_paths(const config::MatchSpec& match, const GroupPlan& group,
                          config::Diagnostics& diagnostics) {
  SharedPathFinder finder(match, group, diagnostics);
  for (const DeviceEntry& device : group.devices) {
    if (device.host_path) finder.check_path(*device.host_path, device.container_path, true);
  }
  for (const MountEntry& mount : group.mounts) {
    finder.check_path(mount.host_path, mount.container_path, false);
  }
}

}  // namespace patchbay::rules
