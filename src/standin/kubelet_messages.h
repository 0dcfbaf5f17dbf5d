#pragma once

#include <string>
#include <vector>

#include "proto/deviceplugin_v1beta1.pb.h"
#include "standin/kubelet.h"

/// Converts between the protocol's messages and the stand-in's types.
namespace patchbay::standin {

[[nodiscard]] std::vector<ListedDevice> to_devices(const v1beta1::ListAndWatchResponse& list);

/// Returns the answer of Allocate as JSON text with an indent of 2. The sorted keys are
/// annotations, cdi_devices (names), devices, envs and mounts. Empty fields are included.
[[nodiscard]] std::string to_json_text(const v1beta1::ContainerAllocateResponse& answer);

}  // namespace patchbay::standin
