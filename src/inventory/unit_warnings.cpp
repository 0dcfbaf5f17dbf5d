#include "inventory/unit_warnings.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "inventory/allocate.h"
#include "inventory/snapshot.h"

namespace patchbay::inventory {
namespace {

EmptyAllocation kind_of(const DeviceFacts& device) {
  switch (device.kind) {
    case DeviceKind::path:
      return device.path_type == PathType::directory ? EmptyAllocation::directory
                                                     : EmptyAllocation::file;
    case DeviceKind::sysfs_directory:
      return EmptyAllocation::directory;
    case DeviceKind::kernel_device:
      break;
    default:
      return EmptyAllocation::no;  // The host has nothing to give.
  }
  if (device.devtype == "usb_interface") return EmptyAllocation::usb_interface;
  return device.subsystem == "net" ? EmptyAllocation::network_interface : EmptyAllocation::no_node;
}

struct EmptyAllocationText {
  std::string_view cause;
  std::string_view advice;
};

const EmptyAllocationText& empty_allocation_text(EmptyAllocation why) {
  /// In the order of EmptyAllocation.
  static constexpr std::array<EmptyAllocationText, kEmptyAllocationKinds> kTexts{{
      {"", ""},
      {"a USB interface has no device node", "add devtype: usb_device to the match"},
      {"a network interface has no device node and stays on the host",
       "a CNI plugin moves interfaces: name the unit for it by deviceInfo: pci, envs or "
       "annotations; write devices: [] if the container needs nothing"},
      {"the device has no device node",
       "add devnode: \"*\" to the match, or give the container envs or mounts; write "
       "devices: [] if it needs nothing"},
      {"a directory is not a device node",
       "match the device nodes in it (glob: …/*, with by: for one unit), or mount it "
       "(mounts: [{hostPath: …}])"},
      {"the path is not a device node", "mount it: mounts: [{hostPath: $(path)}]"},
  }};
  return kTexts.at(static_cast<size_t>(why));
}

void add(UnitWarning& warning, const std::string& unit) {
  if (warning.count++ < UnitWarning::kMaxListedUnits) warning.units.push_back(unit);
}

}  // namespace

EmptyAllocation find_empty_allocation(const rules::ResourcePlan& resource,
                                      const UnitMembers& members, const Allocation& given) {
  const rules::GroupPlan& group = resource.groups[members.group];
  const bool on_purpose = group.devices.empty() || resource.writes_device_info ||
                          !group.pre_start.empty() || !group.release.empty();
  const bool something = !given.devices.empty() || !given.mounts.empty() ||
                         !given.cdi_devices.empty() || !given.envs.empty() ||
                         !given.annotations.empty();
  if (on_purpose || something) return EmptyAllocation::no;
  return kind_of(*members.devices.front().facts);
}

std::string_view cause_of(EmptyAllocation why) { return empty_allocation_text(why).cause; }

std::string_view advice_on(EmptyAllocation why) { return empty_allocation_text(why).advice; }

std::string shared_node_text(const SharedNode& node) {
  std::string givers = node.units.size() == 1 ? fmt::format("unit '{}'", node.units.front())
                                              : fmt::format("{} units", node.units.size());
  if (!node.others.empty()) givers += " and by " + join(node.others, " and ");
  return fmt::format(
      "{} is given by {}, so several containers can have it: make one unit of them by: {}{}",
      printable(node.path), givers, node.variable, node.others.empty() ? "" : ", in one resource");
}

std::vector<UnitWarning> warnings_of(const ResolvedResource& resource) {
  std::array<UnitWarning, kEmptyAllocationKinds> by_kind;
  for (const Unit& unit : resource.snapshot->units) {
    if (unit.empty_allocation != EmptyAllocation::no) {
      add(by_kind.at(static_cast<size_t>(unit.empty_allocation)), unit.id);
    }
  }
  std::vector<UnitWarning> all;
  for (size_t kind = 0; kind < by_kind.size(); ++kind) {
    UnitWarning& warning = by_kind.at(kind);
    if (warning.count == 0) continue;
    const auto& [cause, advice] = empty_allocation_text(static_cast<EmptyAllocation>(kind));
    const bool one = warning.count == 1;
    const std::string units = one ? fmt::format("unit '{}'", warning.units.front())
                                  : fmt::format("{} units", warning.count);
    warning.reason = fmt::format("{} {} a container nothing ({}): {}", units,
                                 one ? "gives" : "give", cause, advice);
    all.push_back(std::move(warning));
  }
  for (const SharedNode& node : resource.shared_nodes) {
    UnitWarning warning{.reason = shared_node_text(node)};
    for (const std::string& unit : node.units) add(warning, unit);
    all.push_back(std::move(warning));
  }
  return all;
}

}  // namespace patchbay::inventory
