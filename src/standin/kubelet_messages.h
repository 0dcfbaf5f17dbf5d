#pragma once

#include <string>
#include <vector>

#include "proto/deviceplugin_v1beta1.pb.h"
#include "standin/kubelet.h"

/// Converts between the protocol's messages and the stand-in's types.
namespace patchbay::standin {

[[nodiscard]] std::vector<ListedDevice> to_devices(const v1beta1::ListAndWatchResponse& list);

/// A request as the kubelet sends it: always for exactly one container.
[[nodiscard]] v1beta1::AllocateRequest allocate_request(const std::vector<std::string>& ids);
[[nodiscard]] v1beta1::PreferredAllocationRequest preference_request(const PreferenceQuery& query);

[[nodiscard]] AllocateAnswer to_json_text(const v1beta1::ContainerAllocateResponse& answer);

}  // namespace patchbay::standin
