#pragma once

#include "config/spec.h"

namespace patchbay::rules {

/// Whether a match is meant for a single device of a node. Such a match requires one name, path,
/// serial number or address. Other matches can still happen to match a single device.
[[nodiscard]] bool matches_single_device(const config::MatchSpec& match);

/// Whether a match lists each of its devices by name, path, serial number or address.
[[nodiscard]] bool identifies_each_device(const config::MatchSpec& match);

}  // namespace patchbay::rules
