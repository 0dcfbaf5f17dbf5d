#pragma once

#include <string>

#include "proto/deviceplugin_v1beta1.pb.h"

namespace patchbay::cli {

/// What one container gets, for people: a table for each kind of thing. Strings of devices are made
/// printable.
[[nodiscard]] std::string allocation_table(const v1beta1::ContainerAllocateResponse& answer);

}  // namespace patchbay::cli
