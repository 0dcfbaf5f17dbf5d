#include "inventory/given_nothing.h"

#include "inventory/allocate.h"
#include "inventory/snapshot.h"

namespace patchbay::inventory {
namespace {

GivenNothing kind_of(const DeviceFacts& device) {
  switch (device.kind) {
    case DeviceKind::path:
      return device.path_type == PathType::directory ? GivenNothing::directory : GivenNothing::file;
    case DeviceKind::sysfs_directory:
      return GivenNothing::directory;
    case DeviceKind::kernel_device:
      break;
    default:
      return GivenNothing::no;  // There is nothing on the host that could be given.
  }
  if (device.devtype == "usb_interface") return GivenNothing::usb_interface;
  return device.subsystem == "net" ? GivenNothing::network_interface : GivenNothing::no_node;
}

}  // namespace

GivenNothing given_nothing(const rules::ResourcePlan& resource, const UnitMembers& members,
                           const Allocation& given) {
  const rules::GroupPlan& group = resource.groups[members.group];
  const bool on_purpose =
      group.devices.empty() || resource.writes_device_info || !group.pre_start.empty();
  const bool something = !given.devices.empty() || !given.mounts.empty() ||
                         !given.cdi_devices.empty() || !given.envs.empty() ||
                         !given.annotations.empty();
  if (on_purpose || something) return GivenNothing::no;
  return kind_of(*members.devices.front().facts);
}

std::string_view cause_of(GivenNothing why) {
  switch (why) {
    case GivenNothing::no:
      return "";
    case GivenNothing::usb_interface:
      return "a USB interface has no device node";
    case GivenNothing::network_interface:
      return "a network interface has no device node and stays on the host";
    case GivenNothing::no_node:
      return "the device has no device node";
    case GivenNothing::directory:
      return "a directory is no device node";
    case GivenNothing::file:
      return "the path is no device node";
  }
  return "";
}

std::string_view advice_on(GivenNothing why) {
  switch (why) {
    case GivenNothing::no:
      return "";
    case GivenNothing::usb_interface:
      return "add devtype: usb_device to the match";
    case GivenNothing::network_interface:
      return "a CNI plugin moves interfaces: name the unit for it by deviceInfo: pci, envs or "
             "annotations; write devices: [] if the container needs nothing";
    case GivenNothing::no_node:
      return "add devnode: \"*\" to the match, or give the container envs or mounts; write "
             "devices: [] if it needs nothing";
    case GivenNothing::directory:
      return "match the device nodes in it (glob: …/*, with by: for one unit), or mount it "
             "(mounts: [{hostPath: …}])";
    case GivenNothing::file:
      return "mount it: mounts: [{hostPath: $(path)}]";
  }
  return "";
}

}  // namespace patchbay::inventory
