#pragma once

#include <string>

#include "inventory/allocate.h"
#include "inventory/snapshot.h"
#include "proto/deviceplugin_v1beta1.pb.h"

/// Our values as the device plugin API's messages.
namespace patchbay::serve {

/// The bytes of a ListAndWatchResponse with the whole list, as every message of ListAndWatch must
/// be (kubelet contract 4).
[[nodiscard]] std::string encode_list(const inventory::Snapshot& snapshot);

/// Whether the kubelet would get the same list from both: nothing to send.
[[nodiscard]] bool same_list(const inventory::Snapshot& a, const inventory::Snapshot& b);

[[nodiscard]] v1beta1::ContainerAllocateResponse to_response(
    const inventory::Allocation& allocation);

/// What GetDevicePluginOptions answers and what Register tells: the same for each snapshot of one
/// ResourcePlan.
[[nodiscard]] v1beta1::DevicePluginOptions plugin_options(const inventory::Snapshot& snapshot);

/// Whether Register, which alone can tell it, says the same of both.
[[nodiscard]] bool same_plugin_options(const inventory::Snapshot& a, const inventory::Snapshot& b);

}  // namespace patchbay::serve
