#pragma once

#include <array>
#include <string_view>

#include "base/words.h"

/// What keys may say that know certain words only.
namespace patchbay::config {

/// Whether a device may be in several units: `claim`.
enum class ClaimMode { exclusive, shared };

/// How units are chosen where there is a choice: `prefer`.
enum class Preference {
  packed,   ///< Fills units, then NUMA nodes, that are in use.
  spread,   ///< Over units, then NUMA nodes.
  numa,     ///< All from one NUMA node if possible.
  closest,  ///< In the PCI and USB tree.
};

/// What the kubelet is told of NUMA nodes: `topology`.
enum class Topology { automatic, none };

/// Whose device-info files are written: `deviceInfo`.
enum class DeviceInfoFormat { pci };

/// How a probe opens a path: `mode`.
enum class OpenMode { read, write, both };

/// What a unit is until a probe has a result: `initial`.
enum class InitialHealth { healthy, unhealthy };

/// What it means that a probe cannot be run: `onError`.
enum class OnError { ignore, unhealthy };

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
template <>
inline constexpr std::array<std::string_view, 2> kWords<config::InitialHealth>{"healthy",
                                                                               "unhealthy"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<config::OnError>{"ignore", "unhealthy"};

}  // namespace patchbay
