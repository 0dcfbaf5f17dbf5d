#pragma once

#include <span>
#include <string>
#include <vector>

#include "paths/host_root.h"
#include "suggest/candidates.h"
#include "suggest/proposal.h"
#include "suggest/suggestion.h"

namespace patchbay::suggest {

struct ProposeAllOptions {
  ProposalOptions rule{};
  bool force = false;                     ///< Also for devices in use.
  std::vector<std::string> used_names{};  ///< Names of resources that exist already.
};

/// Proposals that were not tried yet (trial.h).
struct Proposed {
  std::vector<Suggestion> suggestions;
  std::vector<NotSuggested> refused;
  bool sees_node = true;  ///< See UseCheck::sees_node().
};

/// Proposes rules for the chosen units: one rule for all units of the same model. A device in use
/// is refused. If a rule would also match another device that is in use, the rule is made for the
/// chosen device only. All rules have different names of resources, paths in containers and
/// variables, except variables that container runtimes read. `all` has all units of the machine.
/// Blocking.
[[nodiscard]] Proposed propose_all(std::span<const CandidatePtr> choices,
                                   std::span<const CandidatePtr> all,
                                   const ProposeAllOptions& options, const paths::HostRoot& root);

}  // namespace patchbay::suggest
