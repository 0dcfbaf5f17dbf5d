#pragma once

#include <array>
#include <string_view>

#include "base/words.h"

/// The values of keys that accept only certain words.
namespace patchbay::config {

/// `claim`: whether a device can be in several units.
enum class ClaimMode { exclusive, shared };

/// `prefer`: how a container's units are chosen among the free ones.
enum class Preference {
  packed,   ///< Fills units, then NUMA nodes, that are in use.
  spread,   ///< Spreads over units, then over NUMA nodes.
  numa,     ///< All from one NUMA node if possible.
  closest,  ///< Nearest in the PCI and USB tree.
};

/// `topology`: whether NUMA nodes are reported to the kubelet.
enum class Topology { automatic, none };

/// `deviceInfo`: the consumer of the device-info files.
enum class DeviceInfoFormat { pci };

/// `mode`: how a probe opens a path.
enum class OpenMode { read, write, both };

}  // namespace patchbay::config

namespace patchbay {

template <>
inline constexpr std::array<std::string_view, 2> kWords<config::ClaimMode>{"exclusive", "shared"};
template <>
inline constexpr std::array<std::string_view, 4> kWords<config::Preference>{"packed", "spread",
                                                                            "numa", "closest"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<config::Topology>{"auto", "none"};
template <>
inline constexpr std::array<std::string_view, 1> kWords<config::DeviceInfoFormat>{"pci"};
template <>
inline constexpr std::array<std::string_view, 3> kWords<config::OpenMode>{"r", "w", "rw"};

}  // namespace patchbay
