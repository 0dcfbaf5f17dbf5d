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

/// A unit of a kind, and all that a container with it gets.
/// Immutable once found; any thread.
struct Candidate {
  KindPtr kind;
  std::vector<DeviceFactsPtr> matched;  ///< The devices that the rule itself matches.
  std::vector<std::string> keys;        ///< DeviceFacts::key of all its devices.
  std::vector<std::string> nodes;       ///< Device nodes that a container gets, as host paths.
  std::vector<DeviceNumber> numbers;    ///< Their numbers.
  bool superseded = false;              ///< A better unit has one of its devices.
};

using CandidatePtr = std::shared_ptr<const Candidate>;

/// The units of the kinds. A unit is superseded if an earlier kind has one of its devices. A USB
/// device for libusb is superseded if another unit is below it. `resolution` is that of
/// plan_of(kinds). Blocking.
[[nodiscard]] std::vector<CandidatePtr> find_candidates(const inventory::Resolution& resolution,
                                                        std::span<const KindPtr> kinds,
                                                        const paths::HostRoot& root);

/// Whether it is any USB device for libusb.
[[nodiscard]] bool is_plain_usb(const Candidate& candidate);

/// Syspaths of devices, in natural order of their names, by subsystem.
using DevicesBySubsystem = std::map<std::string, std::vector<std::string>>;

/// The devices with a node that are in none of the units. Blocking.
[[nodiscard]] DevicesBySubsystem find_unknown(std::span<const CandidatePtr> all,
                                              const paths::HostRoot& root);

/// The number of a device node. Null: the path is not a node. Blocking.
[[nodiscard]] std::optional<DeviceNumber> number_of(const paths::HostRoot& root,
                                                    const std::string& path);

/// A device that a person names.
struct Wanted {
  std::string key;                       ///< The syspath of a kernel device. Empty: it has none.
  std::string path;                      ///< The device node. Empty: it has none.
  std::optional<DeviceNumber> number{};  ///< The number of the node.
  bool by_node = false;                  ///< It is named by its node, which the unit must have.
  std::string hardware{};                ///< See hardware_of().
};

/// The units that contain the device, without superseded ones. Without one, the units below it,
/// such as the serial line of a USB adapter. For a device without a node, also the nearest unit
/// above it that is of the same hardware. By its node: the units with the node, preferably
/// without superseded ones.
[[nodiscard]] std::vector<CandidatePtr> candidates_for(const Wanted& wanted,
                                                       std::span<const CandidatePtr> all);

}  // namespace patchbay::suggest
