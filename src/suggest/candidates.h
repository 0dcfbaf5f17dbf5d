#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "inventory/resolution.h"
#include "model/facts.h"
#include "paths/host_root.h"
#include "suggest/kinds.h"

/// Finds the units for which rules can be proposed.
namespace patchbay::suggest {

/// A unit of a kind of hardware, for which a rule can be proposed. Immutable; any thread.
struct Candidate {
  KindPtr kind;
  std::vector<DeviceFactsPtr> matched;  ///< The devices that the rule of the kind matches.
  std::vector<std::string> keys;        ///< DeviceFacts::key of all its devices, with members.
  std::vector<std::string> nodes;       ///< Device nodes that a container gets, as host paths.
  std::vector<DeviceNumber> numbers;    ///< The numbers of these nodes.
  bool superseded = false;              ///< A better unit has one of its devices.
};

using CandidatePtr = std::shared_ptr<const Candidate>;

/// Returns the units of the kinds. A unit is superseded if a unit of an earlier kind has one of its
/// devices. A plain USB device is superseded if another unit is below it. `resolution` is the
/// result of a scan with plan_of(kinds). Blocking.
[[nodiscard]] std::vector<CandidatePtr> find_candidates(const inventory::Resolution& resolution,
                                                        std::span<const KindPtr> kinds,
                                                        const paths::HostRoot& root);

/// Whether the unit is a plain USB device, which programs use with libusb.
[[nodiscard]] bool is_plain_usb(const Candidate& candidate);

/// Syspaths of devices, in natural order of their names, by subsystem.
using DevicesBySubsystem = std::map<std::string, std::vector<std::string>>;

/// Returns the devices with a device node that are in none of the units. Blocking.
[[nodiscard]] DevicesBySubsystem find_unknown(std::span<const CandidatePtr> all,
                                              const paths::HostRoot& root);

/// Returns the number of a device node. Null if the path is not a device node. Blocking.
[[nodiscard]] std::optional<DeviceNumber> number_of(const paths::HostRoot& root,
                                                    const std::string& path);

/// A device that the user named.
struct Wanted {
  /// The syspath of a kernel device. Empty if there is none.
  std::string key;
  std::string path;                      ///< The device node. Empty if there is none.
  std::optional<DeviceNumber> number{};  ///< The number of the node.
  bool by_node = false;                  ///< The user named the node, which the unit must have.
  std::string hardware{};                ///< The result of hardware_of() for the device.
};

/// Returns the units for a named device: the first of these lists that is not empty.
/// - The units that contain the device and are not superseded.
/// - The units below the device, such as the serial line of a USB adapter.
/// - If the device has no node, the nearest units above it on the same hardware.
///
/// With `by_node`, returns only units with the node. Superseded units are returned if there are no
/// others.
[[nodiscard]] std::vector<CandidatePtr> candidates_for(const Wanted& wanted,
                                                       std::span<const CandidatePtr> all);

}  // namespace patchbay::suggest
