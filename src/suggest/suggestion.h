#pragma once

#include <set>
#include <string>
#include <vector>

#include "suggest/proposal.h"

namespace patchbay::suggest {

/// A unit that a proposed rule offers on this machine.
struct TriedUnit {
  std::string id;
  std::vector<std::string> devices;  ///< Device nodes; without a node, the directory in /sys.
  bool asked = false;                ///< The unit has a chosen device.
  std::string reason;                ///< Why the unit is unhealthy. Empty if it is healthy.
};

/// A proposal and its result on this machine. Texts are empty if they do not apply.
struct Suggestion {
  Proposal proposal;
  std::set<std::string> asked;  ///< DeviceFacts::key of all devices of the chosen units.
  std::string in_use;           ///< Why a container should not get the unit (with --force only).
  std::string narrowed;         ///< Why the rule must not match other devices.
  std::string node_access;      ///< The owner of the device node.

  // Known after the trial.
  std::vector<TriedUnit> units{};
  std::vector<std::string> refused{};  ///< Devices that match without a unit, and why.
  std::string taken{};                 ///< The resource of --config that has the device, with its
                                       ///< position.
};

/// A device for which nothing is proposed.
struct NotSuggested {
  std::string device;
  std::string reason;
};

/// The result of suggest().
struct Report {
  bool recorded = false;  ///< The devices are those of a recorded machine.
  bool sees_node = true;  ///< The mounts, swap space and routes of the node are known.
  std::vector<Suggestion> suggestions;
  std::vector<Suggestion> doubtful;  ///< Suggestions of doubtful kinds. With Request::all only.
  std::vector<std::string> libusb;   ///< Nodes for libusb of devices that also have other nodes.
  std::vector<NotSuggested> others;
};

}  // namespace patchbay::suggest
