#pragma once

#include <string>
#include <vector>

#include "inventory/allocate.h"
#include "inventory/snapshot.h"
#include "proto/deviceplugin_v1beta1.pb.h"

/// Converts our values to messages of the device plugin API.
namespace patchbay::plugin {

/// Maximum size of a request. GetPreferredAllocation may name all units twice: as available and as
/// required. An id has at most 63 characters, and the number of the share if its unit is shared.
inline constexpr size_t kMaxRequestBytes = size_t{6} << 20U;

/// Returns the bytes of a ListAndWatchResponse with the whole list, as each message of the stream
/// requires (docs/dev/kubelet.md: List of devices).
[[nodiscard]] std::string encode_list(const inventory::Snapshot& snapshot);

/// Whether the kubelet would receive the same list for both snapshots, so that no new list must be
/// sent.
[[nodiscard]] bool same_list(const inventory::Snapshot& a, const inventory::Snapshot& b);

[[nodiscard]] v1beta1::ContainerAllocateResponse to_response(
    const inventory::Allocation& allocation);

/// Returns the options that GetDevicePluginOptions and Register report. They are the same for all
/// snapshots of one ResourcePlan.
[[nodiscard]] v1beta1::DevicePluginOptions plugin_options(const inventory::Snapshot& snapshot);

/// Whether both snapshots have the same plugin options. If not, Register must be called to report
/// the change.
[[nodiscard]] bool same_plugin_options(const inventory::Snapshot& a, const inventory::Snapshot& b);

/// Formats ids for the log: "a,b,c", or the first ids and the number of further ones.
[[nodiscard]] std::string format_ids(const std::vector<std::string>& ids);

}  // namespace patchbay::plugin
