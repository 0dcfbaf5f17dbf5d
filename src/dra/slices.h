#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "dra/device.h"

/// Makes ResourceSlices (resource.k8s.io/v1) of DRA devices. Pure; any thread.
namespace patchbay::dra {

/// The API server accepts 128 devices, but only 64 if one of them has a taint.
inline constexpr size_t kMaxDevicesPerSlice = 64;

/// A slice among those of its pool. The pool has the name of the node.
struct SlicePosition {
  std::string driver;
  std::string node;
  size_t index = 0;
  size_t count = 1;        ///< The number of slices of the pool.
  int64_t generation = 1;  ///< The same in all slices of the pool.
};

/// Removes each device whose name an earlier device has, and returns these names. A serial number
/// can be chosen so that two names are equal, and the API server would reject the whole slice.
[[nodiscard]] std::vector<std::string> drop_duplicates(std::vector<Device>& devices);

/// Divides the devices of a pool into those of its slices, in order. Without devices, the pool has
/// one empty slice. The result is a view of `devices`.
[[nodiscard]] std::vector<std::span<const Device>> split_pool(std::span<const Device> devices);

/// The list `devices` of a slice.
[[nodiscard]] Json devices_json(std::span<const Device> devices);

/// A whole ResourceSlice, as it is created. The owner is omitted, because it needs the uid of the
/// node.
[[nodiscard]] Json slice_json(const SlicePosition& position, std::span<const Device> devices);

}  // namespace patchbay::dra
