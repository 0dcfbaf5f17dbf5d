#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/yaml_tree.h"
#include "suggest/candidates.h"
#include "suggest/device_values.h"

namespace patchbay::suggest {

struct ProposalOptions {
  bool this_one = false;  ///< Match only this device, not all of its model.
  std::string domain{};
  std::string name{};  ///< Name of the resource, without a domain. Empty for the name in the kind.
};

/// A proposed rule for one unit, and the texts that explain it.
struct Proposal {
  CandidatePtr candidate;
  std::string name;           ///< Name of the resource, with its domain.
  config::YamlNode resource;  ///< With comments.
  std::string model;          ///< Maker and model. Empty if not known.
  /// The first device that the rule matches. Null if the rule matches a path, or if the device was
  /// removed.
  DeviceFactsPtr device;
  bool only_this = false;            ///< The rule matches no other device of this machine.
  std::vector<CandidatePtr> others;  ///< Other units that the rule matches, unless `only_this`.
  /// Why no serial number can identify the device. Empty if one can, or if the kind has none.
  std::string no_serial;
};

/// Checks the name and the domain of a resource in the options.
[[nodiscard]] Result<void> check_name(const ProposalOptions& options);

/// Proposes a rule for the unit. `all` has all units of the machine. They show whether a serial
/// number identifies the device. Blocking.
[[nodiscard]] Proposal propose(const CandidatePtr& candidate, std::span<const CandidatePtr> all,
                               const ProposalOptions& options, DeviceReader& reader);

}  // namespace patchbay::suggest
