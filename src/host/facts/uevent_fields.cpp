#include "host/facts/uevent_fields.h"

#include <algorithm>

#include "base/text.h"
#include "base/whole_number.h"

namespace patchbay::host {

std::string sysname_of(std::string_view syspath) {
  std::string name(base_name(syspath));
  std::ranges::replace(name, '!', '/');
  return name;
}

std::string devnode_of(std::string_view devname) {
  if (devname.empty() || devname.front() == '/') return std::string(devname);
  return "/dev/" + std::string(devname);
}

std::optional<DeviceNumber> number_of(std::string_view major, std::string_view minor) {
  const auto its_major = parse_whole<uint32_t>(major);
  const auto its_minor = parse_whole<uint32_t>(minor);
  if (!its_major || !its_minor || *its_major == 0) return std::nullopt;
  return DeviceNumber{.block = false, .major = *its_major, .minor = *its_minor};
}

}  // namespace patchbay::host
