#include "suggest/propose_all.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
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

/// Container runtimes read these variables, so their names are fixed.
constexpr std::array<std::string_view, 2> kRuntimeVariables{"NVIDIA_VISIBLE_DEVICES",
                                                            "IX_VISIBLE_DEVICES"};

bool is_numbered(const std::string& variable) {
  return std::ranges::find(kRuntimeVariables, variable) == kRuntimeVariables.end();
}

using UseText = std::function<void(std::string&)>;

void for_each_slot(YamlNode& node, const UseText& use) {
  if (node.text.contains("$(slot)")) use(node.text);
  for (YamlNode& item : node.items) for_each_slot(item, use);
  for (YamlEntry& entry : node.entries) for_each_slot(entry.value, use);
}

/// The paths and the names of variables that a container could also get from another resource.
void for_each_name(YamlNode& resource, const UseText& use) {
  for (YamlEntry& entry : resource.entries) {
    if (entry.key.value == "devices") for_each_slot(entry.value, use);
    if (entry.key.value != "envs") continue;
    for (YamlEntry& env : entry.value.entries) {
      if (is_numbered(env.key.value)) use(env.key.value);
    }
  }
}

/// Writes "/dev/serial-2-$(slot)" for "/dev/serial$(slot)", and SERIAL_PORTS_2 for SERIAL_PORTS.
void add_number(YamlNode& resource, int number) {
  const auto number_slot = [&](std::string& text) {
    text.insert(text.find("$(slot)"), fmt::format("-{}-", number));
  };
  for (YamlEntry& entry : resource.entries) {
    if (entry.key.value == "devices" || entry.key.value == "envs") {
      for_each_slot(entry.value, number_slot);
    }
    if (entry.key.value != "envs") continue;
    for (YamlEntry& env : entry.value.entries) {
      if (is_numbered(env.key.value)) env.key.value += fmt::format("_{}", number);
    }
  }
}

/// Gives resources different names, paths and variables.
class Numbering {
 public:
  explicit Numbering(const std::vector<std::string>& names) : names_(names.begin(), names.end()) {}

  void make_unique(Proposal& proposal) {
    const std::string name = proposal.name;
    int number = 1;
    while (!names_.insert(proposal.name).second) {
      number = std::max(number, last_[name]) + 1;
      last_[name] = number;
      proposal.name = with_suffix(name, fmt::format("-{}", number));
    }
    value_in(proposal.resource, "name").text = proposal.name;
    YamlNode numbered = proposal.resource;
    if (number > 1) add_number(numbered, number);
    while (is_used(numbered)) {
      numbered = proposal.resource;
      add_number(numbered, ++number);
    }
    for_each_name(numbered, [&](const std::string& text) { used_.insert(text); });
    proposal.resource = std::move(numbered);
  }

 private:
  /// Kubernetes allows 63 characters after the domain.
  static std::string with_suffix(const std::string& name, const std::string& suffix) {
    constexpr size_t kLongest = 63;
    const size_t domain = name.find('/') + 1;
    return name.substr(0, domain + kLongest - suffix.size()) + suffix;
  }

  bool is_used(YamlNode& resource) const {
    bool used = false;
    for_each_name(resource, [&](const std::string& text) { used = used || used_.contains(text); });
    return used;
  }

  std::set<std::string> names_;
  std::map<std::string, int> last_;  ///< The last number of a name.
  std::set<std::string> used_;       ///< Paths and variables.
};

class Proposer {
 public:
  Proposer(std::span<const CandidatePtr> all, const ProposeAllOptions& options,
           const paths::HostRoot& root)
      : all_(all),
        options_(options),
        root_(root),
        reader_(root),
        use_(root, reader_),
        numbering_(options.used_names) {}

  Proposed run(std::span<const CandidatePtr> choices) {
    proposed_.sees_node = use_.sees_node();
    choices_ = {choices.begin(), choices.end()};
    for (const CandidatePtr& choice : choices) {
      const auto covering = covered_.find(choice);
      if (covering != covered_.end()) {
        add_choice(*choice, proposed_.suggestions[covering->second]);
      } else if (const auto why = try_add(choice)) {
        proposed_.refused.push_back({title_of(*choice), *why});
      }
    }
    return std::move(proposed_);
  }

 private:
  /// Notes that the suggestion is also for that choice.
  void add_choice(const Candidate& choice, Suggestion& suggestion) {
    suggestion.asked.insert(choice.keys.begin(), choice.keys.end());
    const auto in_use = use_.reason(choice);
    if (!in_use) return;
    suggestion.in_use += (suggestion.in_use.empty() ? "" : "; ") + *in_use;
  }

  /// Returns the reason if nothing is proposed.
  std::optional<std::string> try_add(const CandidatePtr& choice) {
    if (auto in_use = use_.reason(*choice); in_use && !options_.force) return in_use;
    Suggestion suggestion{.proposal = propose(choice, all_, options_.rule, reader_),
                          .asked = {},
                          .in_use = {},
                          .narrowed = {},
                          .node_access = access_of(*choice, root_)};
    if (auto why = narrow_if_needed(choice, suggestion)) {
      if (!options_.force) return why;
      suggestion.in_use = *why;
    }
    add_choice(*choice, suggestion);
    if (!suggestion.proposal.only_this) {
      for (const CandidatePtr& other : suggestion.proposal.others) {
        covered_.emplace(other, proposed_.suggestions.size());
      }
    }
    numbering_.make_unique(suggestion.proposal);
    proposed_.suggestions.push_back(std::move(suggestion));
    return std::nullopt;
  }

  /// If the node uses another device that the rule would match, and nobody chose it, makes a rule
  /// for this device only. Returns the reason if that is not possible.
  std::optional<std::string> narrow_if_needed(const CandidatePtr& choice, Suggestion& suggestion) {
    if (suggestion.proposal.only_this) return std::nullopt;
    for (const CandidatePtr& other : suggestion.proposal.others) {
      if (options_.force && choices_.contains(other)) continue;
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
  Numbering numbering_;
  std::set<CandidatePtr> choices_;
  Proposed proposed_;
  /// Units that the rule for another device of the model offers, too: positions of suggestions.
  std::map<CandidatePtr, size_t> covered_;
};

}  // namespace

Proposed propose_all(std::span<const CandidatePtr> choices, std::span<const CandidatePtr> all,
                     const ProposeAllOptions& options, const paths::HostRoot& root) {
  return Proposer(all, options, root).run(choices);
}

}  // namespace patchbay::suggest
