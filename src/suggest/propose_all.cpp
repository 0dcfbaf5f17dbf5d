#include "suggest/propose_all.h"

#include <sys/stat.h>

#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "config/yaml_writer.h"
#include "suggest/device_values.h"
#include "suggest/in_use.h"
#include "suggest/title.h"

namespace patchbay::suggest {
namespace {

using config::YamlEntry;
using config::YamlNode;

/// The owner of the first node, if it is not root.
std::string access_of(const Candidate& candidate, const paths::HostRoot& root) {
  if (root.is_recorded() || candidate.nodes.empty()) return {};
  const auto status = root.status(candidate.nodes.front());
  if (!status || status->st_gid == 0) return {};
  return fmt::format("{} has mode {:04o} and group {}: supplementalGroups: [{}]",
                     candidate.nodes.front(), status->st_mode & 07777U, status->st_gid,
                     status->st_gid);
}

/// Writes "/dev/serial-2-$(slot)" for "/dev/serial$(slot)". Returns whether it found a slot.
bool number_slots(YamlNode& node, const std::string& number) {
  const size_t slot = node.text.find("$(slot)");
  if (slot != std::string::npos) node.text.insert(slot, fmt::format("-{}-", number));
  bool found = slot != std::string::npos;
  for (YamlNode& item : node.items) found = number_slots(item, number) || found;
  for (YamlEntry& entry : node.entries) found = number_slots(entry.value, number) || found;
  return found;
}

/// Changes the paths and variables that a container would get from two resources of one kind.
void number_paths(YamlNode& resource, const std::string& number) {
  for (YamlEntry& entry : resource.entries) {
    if (entry.key.value == "devices") number_slots(entry.value, number);
    if (entry.key.value != "envs") continue;
    for (YamlEntry& env : entry.value.entries) {
      if (number_slots(env.value, number)) env.key.value += '_' + number;
    }
  }
}

void make_unique(Proposal& proposal, std::set<std::string>& names) {
  const std::string name = proposal.name;
  int number = 1;
  while (!names.insert(proposal.name).second) {
    proposal.name = fmt::format("{}-{}", name, ++number);
  }
  if (number == 1) return;
  value_in(proposal.resource, "name").text = proposal.name;
  number_paths(proposal.resource, std::to_string(number));
}

class Proposer {
 public:
  Proposer(std::span<const CandidatePtr> all, const ProposeAllOptions& options,
           const paths::HostRoot& root)
      : all_(all), options_(options), root_(root), reader_(root), use_(root, reader_) {}

  Proposed run(std::span<const CandidatePtr> choices) {
    proposed_.sees_node = use_.sees_node();
    for (const CandidatePtr& choice : choices) {
      if (covered_.contains(choice)) continue;
      if (const auto why = try_add(choice)) {
        proposed_.refused.push_back({title_of(*choice), *why});
      }
    }
    return std::move(proposed_);
  }

 private:
  /// Returns the reason if nothing is proposed.
  std::optional<std::string> try_add(const CandidatePtr& choice) {
    const auto in_use = use_.reason(*choice);
    if (in_use && !options_.force) return in_use;
    Suggestion suggestion{.proposal = propose(choice, all_, options_.rule, reader_),
                          .in_use = in_use.value_or(""),
                          .narrowed = {},
                          .node_access = access_of(*choice, root_)};
    if (auto why = narrow_if_needed(choice, suggestion)) return why;
    const Proposal& proposal = suggestion.proposal;
    if (!proposal.only_this) covered_.insert(proposal.others.begin(), proposal.others.end());
    make_unique(suggestion.proposal, names_);
    proposed_.suggestions.push_back(std::move(suggestion));
    return std::nullopt;
  }

  /// If the node uses another device that the rule would match, makes a rule for this device only.
  /// Returns the reason if that is not possible.
  std::optional<std::string> narrow_if_needed(const CandidatePtr& choice, Suggestion& suggestion) {
    if (suggestion.proposal.only_this || options_.force) return std::nullopt;
    for (const CandidatePtr& other : suggestion.proposal.others) {
      const auto why = use_.reason(*other);
      if (!why) continue;
      ProposalOptions rule = options_.rule;
      rule.this_one = true;
      suggestion.proposal = propose(choice, all_, rule, reader_);
      suggestion.narrowed = *why;
      if (suggestion.proposal.only_this) return std::nullopt;
      return "a rule for it matches another device, too: " + *why;
    }
    return std::nullopt;
  }

  std::span<const CandidatePtr> all_;
  const ProposeAllOptions& options_;
  const paths::HostRoot& root_;
  DeviceReader reader_;
  UseCheck use_;
  Proposed proposed_;
  std::set<CandidatePtr> covered_;  ///< By the rule of another device of the model.
  std::set<std::string> names_;
};

}  // namespace

Proposed propose_all(std::span<const CandidatePtr> choices, std::span<const CandidatePtr> all,
                     const ProposeAllOptions& options, const paths::HostRoot& root) {
  return Proposer(all, options, root).run(choices);
}

}  // namespace patchbay::suggest
