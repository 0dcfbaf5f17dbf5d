#pragma once

#include <string_view>

#include "base/facts.h"
#include "rules/plan.h"

/// Names that udev gives, so that what asks for them waits until udev has worked on a device: of
/// network interfaces and of what belongs to InfiniBand, which it renames, and of paths below /dev
/// other than the node that the kernel makes.
namespace patchbay::rules {

/// Whether one of the facts is, or is found by, such a name.
[[nodiscard]] bool asks_for_names_of_udev(const WantedFacts& wanted);
/// Whether a text of the group may hold such a path of the host, or a probe reads what udev wrote.
[[nodiscard]] bool asks_for_names_of_udev(const GroupPlan& group);
/// Whether such a name is in a syspath.
[[nodiscard]] bool has_name_of_udev(std::string_view syspath);

}  // namespace patchbay::rules
