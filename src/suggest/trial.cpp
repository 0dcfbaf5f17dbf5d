#include "suggest/trial.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "config/spec_reader.h"
#include "config/yaml_writer.h"
#include "rules/compile.h"
#include "suggest/id_comment.h"
#include "suggest/kinds.h"
#include "suggest/title.h"

namespace patchbay::suggest {
namespace {

using config::YamlNode;

void remove_comments(YamlNode& node) {
  node.comment.clear();
  node.lines_above.clear();
  for (YamlNode& item : node.items) remove_comments(item);
  for (config::YamlEntry& entry : node.entries) remove_comments(entry.value);
}

struct Compiled {
  rules::PlanPtr plan;  ///< Null after a mistake.
  std::string fault;    ///< The first mistake.
};

/// Each rule is in a file of its own, because a file has a limit of values.
Compiled compile(std::span<const Suggestion> suggestions, const std::string& node) {
  config::Diagnostics diagnostics;
  std::vector<config::Spec> specs;
  for (const Suggestion& suggestion : suggestions) {
    YamlNode file = configuration_of({suggestion.proposal.resource});
    remove_comments(file);
    const auto source = std::make_shared<const config::Source>(
        config::Source{"suggestion", config::write_yaml(file)});
    specs.push_back(config::read_spec(source, diagnostics));
  }
  if (specs.empty()) return {};
  auto plan = rules::compile(specs, {.node = node}, diagnostics);
  if (plan != nullptr) return {.plan = std::move(plan), .fault = {}};
  const auto mistake =
      std::ranges::find(diagnostics.all(), config::Severity::error, &config::Diagnostic::severity);
  return {.plan = nullptr, .fault = mistake->message};
}

bool has_device(const inventory::Unit& unit, const std::string& key) {
  return std::ranges::any_of(unit.members->devices, [&](const inventory::UnitDevice& device) {
    return device.facts->key == key;
  });
}

/// Whether the unit is that of the candidate, with all devices that its rule matches.
bool has_all(const inventory::Unit& unit, const Candidate& candidate) {
  return std::ranges::all_of(candidate.matched,
                             [&](const auto& device) { return has_device(unit, device->key); });
}

TriedUnit tried_unit(const inventory::Unit& unit, const Suggestion& suggestion) {
  TriedUnit tried{.id = unit.id, .devices = {}, .asked = false, .reason = unit.reason};
  for (const inventory::UnitDevice& device : unit.members->devices) {
    if (suggestion.asked.contains(device.facts->key)) tried.asked = true;
    if (!device.facts->devnode.empty()) tried.devices.push_back(device.facts->devnode);
  }
  if (tried.devices.empty()) tried.devices.push_back(unit.members->devices.front().facts->key);
  return tried;
}

/// Returns whether the rule offers the device.
bool describe(const inventory::ResolvedResource& resource, Suggestion& suggestion) {
  bool offers = false;
  for (const inventory::Unit& unit : resource.snapshot->units) {
    suggestion.units.push_back(tried_unit(unit, suggestion));
    if (!has_all(unit, *suggestion.proposal.candidate)) continue;
    offers = unit.reason.empty();
    if (!offers) suggestion.refused.push_back("its unit would be unhealthy: " + unit.reason);
    add_id_comment(unit, suggestion.proposal);
  }
  std::ranges::stable_partition(suggestion.units, &TriedUnit::asked);
  for (const inventory::Refusal& refusal : resource.refusals) {
    // Another proposal has it.
    if (refusal.kind == inventory::Refusal::Kind::claimed) continue;
    suggestion.refused.push_back(fmt::format(
        "{}: {}", refusal.devnode.empty() ? refusal.device : refusal.devnode, refusal.reason));
  }
  return offers;
}

}  // namespace

Trial compile_trial(std::vector<Suggestion>& suggestions, const std::string& node) {
  Trial trial{.plan = compile(suggestions, node).plan, .failed = {}};
  if (trial.plan != nullptr) return trial;
  std::erase_if(suggestions, [&](const Suggestion& suggestion) {
    const Compiled alone = compile(std::span(&suggestion, 1), node);
    if (alone.plan != nullptr) return false;
    trial.failed.push_back(
        {title_of(*suggestion.proposal.candidate), "no rule can name it: " + alone.fault});
    return true;
  });
  if (!suggestions.empty()) trial.plan = compile(suggestions, node).plan;
  return trial;
}

std::vector<NotSuggested> describe_trial(const inventory::Resolution& resolution,
                                         std::vector<Suggestion>& suggestions) {
  std::vector<NotSuggested> failed;
  std::vector<Suggestion> kept;
  for (size_t i = 0; i < suggestions.size(); ++i) {
    Suggestion& suggestion = suggestions[i];
    if (describe(resolution.resources[i], suggestion)) {
      kept.push_back(std::move(suggestion));
      continue;
    }
    failed.push_back({title_of(*suggestion.proposal.candidate),
                      suggestion.refused.empty() ? "the rule for it does not offer it"
                                                 : join(suggestion.refused, "; ")});
  }
  suggestions = std::move(kept);
  return failed;
}

void find_taken(const inventory::Resolution& active, std::span<Suggestion> suggestions) {
  for (const auto& resource : active.resources) {
    const auto& at = resource.snapshot->resource->at.position;
    for (const inventory::Unit& unit : resource.snapshot->units) {
      for (Suggestion& suggestion : suggestions) {
        const bool takes = std::ranges::any_of(
            suggestion.asked, [&](const std::string& key) { return has_device(unit, key); });
        if (!takes || !suggestion.taken.empty()) continue;
        suggestion.taken = fmt::format("{}:{}: {} offers it already, as {}", at.source->name,
                                       at.line, resource.name(), unit.id);
      }
    }
  }
}

}  // namespace patchbay::suggest
