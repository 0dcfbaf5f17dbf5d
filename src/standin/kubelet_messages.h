#pragma once

#include <string>
#include <vector>

#include "proto/deviceplugin_v1beta1.pb.h"
#include "standin/kubelet.h"

/// Converts between the protocol's messages and the stand-in's types.
namespace patchbay::standin {

[[nodiscard]] std::vector<ListedDevice> to_devices(const v1beta1::ListAndWatchResponse& list);

/// The answer of Allocate as JSON text with sorted keys (nlohmann's dump with indent 2):
/// annotations, cdi_devices (names), devices, envs, mounts. Empty fields are included.
[[nodiscard]] std::string to_json_text(const v1beta1::ContainerAllocateResponse& answer);

}  // namespace patchbay::standin
