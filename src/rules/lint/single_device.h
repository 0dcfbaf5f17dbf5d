#pragma once

#include "config/spec.h"

namespace patchbay::rules {

/// Whether a match is written for one device of a node: it gives one name, path, serial number or
/// address. False does not mean that there can be several.
[[nodiscard]] bool matches_single_device(const config::MatchSpec& match);

/// Whether a match lists each of its devices by name, path, serial number or address.
[[nodiscard]] bool identifies_each_device(const config::MatchSpec& match);

}  // namespace patchbay::rules
