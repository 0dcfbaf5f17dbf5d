#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/facts.h"

namespace patchbay::host {

/// Limit of events per loop iteration. Further events are received in later iterations.
inline constexpr int kEventsPerIteration = 128;

/// One uevent, from the kernel or from udev.
struct UdevEvent {
  enum class Action { remove, move, other };
  Action action = Action::other;
  std::string syspath;
  std::string old_syspath;  ///< Set for Action::move.
  std::string name;
  std::string subsystem;
  std::string devtype;
  std::string devnode;
  std::optional<DeviceNumber> number;
  uint64_t seqnum = 0;

  /// The facts without a cost (Cost::none), except DeviceFacts::found_by.
  [[nodiscard]] DeviceFacts facts() const;
};

/// Parses a message of the kernel: "add@/devices/…" and lines such as "SUBSYSTEM=block", each
/// terminated by a NUL (lib/kobject_uevent.c). Null if the action, device, subsystem or sequence
/// number is missing.
[[nodiscard]] std::optional<UdevEvent> parse_uevent(std::string_view message);

}  // namespace patchbay::host
