#pragma once

#include "config/spec.h"

namespace patchbay::rules {

/// Whether a match is written for one thing of a node: it gives one name, one path, one serial
/// number or one address. False is no promise that there can be several.
[[nodiscard]] bool matches_single_device(const config::MatchSpec& match);

/// Whether a match lists each device that it is for, by name, path, serial number or address.
[[nodiscard]] bool identifies_each_device(const config::MatchSpec& match);

}  // namespace patchbay::rules
