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

/// Proposals that are not tried yet.
struct Proposed {
  std::vector<Suggestion> suggestions;
  std::vector<NotSuggested> refused;
  bool sees_node = true;  ///< See UseCheck::sees_node().
};

/// Proposes rules for the choices: one rule for the devices of one model. A device in use is
/// refused. If a rule would match another device that is in use, the rule is for the chosen device
/// only. Names of resources, their paths in containers and their variables differ, except variables
/// that container runtimes read. `all` has the units of the machine. Blocking.
[[nodiscard]] Proposed propose_all(std::span<const CandidatePtr> choices,
                                   std::span<const CandidatePtr> all,
                                   const ProposeAllOptions& options, const paths::HostRoot& root);

}  // namespace patchbay::suggest
