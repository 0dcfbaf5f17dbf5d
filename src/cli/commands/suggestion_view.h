#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "suggest/proposal.h"

namespace patchbay::cli {

/// A unit that a proposed rule offers on this machine.
struct TriedUnit {
  std::string id;
  std::vector<std::string> devices;  ///< Nodes; without a node the directory in /sys.
  bool asked = false;                ///< It has the device that was asked for.
  std::string reason;                ///< Why it is unhealthy; empty: it is healthy.
};

/// A proposal after it was tried.
struct Suggestion {
  suggest::Proposal proposal;
  std::vector<TriedUnit> units;
  std::vector<std::string> refused;  ///< Devices that match without a unit, and why.
  std::string taken;                 ///< The resource of --config that has the device, and where.
  std::string in_use;                ///< Why a container should not get it, with --force.
  std::string narrowed;              ///< Why the rule must not match other devices. Empty: it may.
  std::string node_access;           ///< The owner of the device node. Empty: not known.
};

/// A device for which nothing is proposed.
struct NotSuggested {
  std::string device;
  std::string reason;
};

/// The result of `suggest`.
struct SuggestionReport {
  bool recorded = false;  ///< The machine is a recorded one.
  bool sees_node = true;  ///< The mounts, swap space and routes of the node are known.
  bool all = false;       ///< No device was asked for.
  std::vector<Suggestion> suggestions;
  std::vector<Suggestion> doubtful;  ///< With --all.
  std::vector<NotSuggested> others;
};

/// The configuration, without comments: for trying it.
[[nodiscard]] std::string bare_configuration(const std::vector<suggest::Proposal>& proposals);

/// A configuration with comments, or only the items of `resources`.
[[nodiscard]] std::string suggestion_text(const SuggestionReport& report, bool resources_only);

[[nodiscard]] Json suggestion_json(const SuggestionReport& report);

}  // namespace patchbay::cli
