#include "host/udev/udev_event.h"

#include <algorithm>

#include "base/whole_number.h"
#include "host/facts/uevent_fields.h"

namespace patchbay::host {
namespace {

/// The fields of a message, as views into it. Empty: absent.
struct Lines {
  std::string_view action;
  std::string_view devpath;
  std::string_view devpath_old;
  std::string_view subsystem;
  std::string_view devtype;
  std::string_view devname;
  std::string_view major;
  std::string_view minor;
  std::string_view seqnum;

  void take(std::string_view key, std::string_view value) {
    if (key == "ACTION") action = value;
    if (key == "DEVPATH") devpath = value;
    if (key == "DEVPATH_OLD") devpath_old = value;
    if (key == "SUBSYSTEM") subsystem = value;
    if (key == "DEVTYPE") devtype = value;
    if (key == "DEVNAME") devname = value;
    if (key == "MAJOR") major = value;
    if (key == "MINOR") minor = value;
    if (key == "SEQNUM") seqnum = value;
  }
};

Lines lines_of(std::string_view message) {
  Lines lines;
  while (!message.empty()) {
    const std::string_view line = message.substr(0, message.find('\0'));
    message.remove_prefix(std::min(line.size() + 1, message.size()));
    const size_t equals = line.find('=');
    if (equals != std::string_view::npos)
      lines.take(line.substr(0, equals), line.substr(equals + 1));
  }
  return lines;
}

}  // namespace

DeviceFacts UdevEvent::facts() const {
  DeviceFacts facts;
  facts.key = syspath;
  facts.kind = DeviceKind::kernel_device;
  facts.name = name;
  facts.subsystem = subsystem;
  facts.devtype = devtype;
  facts.devnode = devnode;
  facts.number = number;
  return facts;
}

std::optional<UdevEvent> parse_uevent(std::string_view message) {
  const Lines lines = lines_of(message);
  const auto seqnum = parse_whole<uint64_t>(lines.seqnum);
  if (lines.action.empty() || !lines.devpath.starts_with('/') || lines.subsystem.empty() ||
      !seqnum) {
    return std::nullopt;
  }
  UdevEvent event;
  event.syspath = "/sys" + std::string(lines.devpath);
  event.name = sysname_of(event.syspath);
  event.subsystem = lines.subsystem;
  event.devtype = lines.devtype;
  event.devnode = devnode_of(lines.devname);
  event.number = number_of(lines.major, lines.minor);
  if (event.number) event.number->block = event.subsystem == "block";
  event.seqnum = *seqnum;
  if (lines.action == "remove") event.action = UdevEvent::Action::remove;
  if (lines.action == "move") {
    event.action = UdevEvent::Action::move;
    if (!lines.devpath_old.empty()) event.old_syspath = "/sys" + std::string(lines.devpath_old);
  }
  return event;
}

}  // namespace patchbay::host
