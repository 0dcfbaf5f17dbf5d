#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/facts.h"

namespace patchbay::host {

/// So many are taken in a turn of the loop; what is left is reported again.
inline constexpr int kEventsPerIteration = 128;

/// One uevent, from the kernel or from udev.
struct UdevEvent {
  enum class Action { remove, move, other };
  Action action = Action::other;
  std::string syspath;
  std::string old_syspath;  ///< With Action::move.
  std::string name;
  std::string subsystem;
  std::string devtype;
  std::string devnode;
  std::optional<DeviceNumber> number;
  uint64_t seqnum = 0;

  /// What it tells of the device: all that costs nothing, but for DeviceFacts::found_by.
  [[nodiscard]] DeviceFacts facts() const;
};

/// Of a message of the kernel's: "add@/devices/…" and lines such as "SUBSYSTEM=block", each with a
/// NUL at its end (lib/kobject_uevent.c). None: it says not what is to be done to which device.
[[nodiscard]] std::optional<UdevEvent> parse_uevent(std::string_view message);

}  // namespace patchbay::host
