#pragma once

#include <string_view>

#include "base/facts.h"
#include "rules/plan.h"

/// Names that udev gives, so that what asks for them waits until udev has worked on a device: of
/// network interfaces and of what belongs to InfiniBand, which it renames, and of paths below /dev
/// other than the node that the kernel makes.
namespace patchbay::rules {

/// Whether one of the facts is, or is found by, such a name.
[[nodiscard]] bool uses_udev_names(const WantedFacts& wanted);
/// Whether a text of the group may hold such a path of the host, or a probe reads what udev wrote.
[[nodiscard]] bool uses_udev_names(const GroupPlan& group);
/// Whether such a name is in a syspath.
[[nodiscard]] bool contains_udev_name(std::string_view syspath);

}  // namespace patchbay::rules
