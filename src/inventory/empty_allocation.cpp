#include "inventory/empty_allocation.h"

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

}  // namespace

EmptyAllocation find_empty_allocation(const rules::ResourcePlan& resource,
                                      const UnitMembers& members, const Allocation& given) {
  const rules::GroupPlan& group = resource.groups[members.group];
  const bool on_purpose =
      group.devices.empty() || resource.writes_device_info || !group.pre_start.empty();
  const bool something = !given.devices.empty() || !given.mounts.empty() ||
                         !given.cdi_devices.empty() || !given.envs.empty() ||
                         !given.annotations.empty();
  if (on_purpose || something) return EmptyAllocation::no;
  return kind_of(*members.devices.front().facts);
}

std::string_view cause_of(EmptyAllocation why) {
  switch (why) {
    case EmptyAllocation::no:
      return "";
    case EmptyAllocation::usb_interface:
      return "a USB interface has no device node";
    case EmptyAllocation::network_interface:
      return "a network interface has no device node and stays on the host";
    case EmptyAllocation::no_node:
      return "the device has no device node";
    case EmptyAllocation::directory:
      return "a directory is not a device node";
    case EmptyAllocation::file:
      return "the path is not a device node";
  }
  return "";
}

std::string_view advice_on(EmptyAllocation why) {
  switch (why) {
    case EmptyAllocation::no:
      return "";
    case EmptyAllocation::usb_interface:
      return "add devtype: usb_device to the match";
    case EmptyAllocation::network_interface:
      return "a CNI plugin moves interfaces: name the unit for it by deviceInfo: pci, envs or "
             "annotations; write devices: [] if the container needs nothing";
    case EmptyAllocation::no_node:
      return "add devnode: \"*\" to the match, or give the container envs or mounts; write "
             "devices: [] if it needs nothing";
    case EmptyAllocation::directory:
      return "match the device nodes in it (glob: …/*, with by: for one unit), or mount it "
             "(mounts: [{hostPath: …}])";
    case EmptyAllocation::file:
      return "mount it: mounts: [{hostPath: $(path)}]";
  }
  return "";
}

}  // namespace patchbay::inventory
