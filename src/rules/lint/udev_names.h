#pragma once

#include <string_view>

#include "model/facts.h"
#include "rules/plan/plan_fwd.h"

/// Names that udev assigns. A rule that uses them waits until udev has processed a device. They are
/// names of network interfaces and InfiniBand devices, which udev renames, and paths below /dev
/// other than the kernel's node.
namespace patchbay::rules {

/// Whether one of the facts is such a name, or is found by one.
[[nodiscard]] bool uses_udev_names(const WantedFacts& wanted);
/// Whether a text of the group can contain such a path of the host, or a probe reads data that udev
/// wrote.
[[nodiscard]] bool uses_udev_names(const GroupPlan& group);
/// Whether a syspath contains such a name.
[[nodiscard]] bool contains_udev_name(std::string_view syspath);

}  // namespace patchbay::rules
