#include "suggest/trial.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "config/spec_reader.h"
#include "config/yaml_writer.h"
#include "rules/compile.h"
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

std::string text_of(std::span<const Suggestion> suggestions) {
  std::vector<YamlNode> resources;
  for (const Suggestion& suggestion : suggestions) {
    resources.push_back(suggestion.proposal.resource);
  }
  YamlNode file = configuration_of(std::move(resources));
  remove_comments(file);
  return config::write_yaml(file);
}

bool has_key(const Suggestion& suggestion, const inventory::UnitDevice& device) {
  const auto& keys = suggestion.proposal.candidate->keys;
  return std::ranges::find(keys, device.facts->key) != keys.end();
}

TriedUnit tried_unit(const inventory::Unit& unit, const Suggestion& suggestion) {
  TriedUnit tried{.id = unit.id, .devices = {}, .asked = false, .reason = unit.reason};
  for (const inventory::UnitDevice& device : unit.members->devices) {
    if (has_key(suggestion, device)) tried.asked = true;
    if (!device.facts->devnode.empty()) tried.devices.push_back(device.facts->devnode);
  }
  if (tried.devices.empty()) tried.devices.push_back(unit.members->devices.front().facts->key);
  return tried;
}

void describe(const inventory::ResolvedResource& resource, Suggestion& suggestion) {
  for (const inventory::Unit& unit : resource.snapshot->units) {
    suggestion.units.push_back(tried_unit(unit, suggestion));
    if (suggestion.units.back().asked) add_id_comment(unit, suggestion.proposal);
  }
  std::ranges::stable_partition(suggestion.units, &TriedUnit::asked);
  for (const inventory::Refusal& refusal : resource.refusals) {
    // Another proposal has it.
    if (refusal.kind == inventory::Refusal::Kind::claimed) continue;
    suggestion.refused.push_back(fmt::format(
        "{}: {}", refusal.devnode.empty() ? refusal.device : refusal.devnode, refusal.reason));
  }
}

}  // namespace

Result<rules::PlanPtr> plan_of_trial(std::span<const Suggestion> suggestions,
                                     const std::string& node) {
  config::Diagnostics diagnostics;
  const auto source =
      std::make_shared<const config::Source>(config::Source{"suggestion", text_of(suggestions)});
  const std::array specs{config::read_spec(source, diagnostics)};
  auto plan = rules::compile(specs, {.node = node}, diagnostics);
  if (!plan) return fail("no rule can name this device:\n" + config::render(diagnostics));
  return plan;
}

std::vector<NotSuggested> describe_trial(const inventory::Resolution& resolution,
                                         std::vector<Suggestion>& suggestions) {
  for (size_t i = 0; i < suggestions.size(); ++i) {
    describe(resolution.resources[i], suggestions[i]);
  }
  std::vector<NotSuggested> failed;
  std::erase_if(suggestions, [&](const Suggestion& suggestion) {
    if (std::ranges::any_of(suggestion.units, &TriedUnit::asked)) return false;
    failed.push_back({title_of(*suggestion.proposal.candidate),
                      suggestion.refused.empty() ? "the rule for it matches nothing"
                                                 : join(suggestion.refused, "; ")});
    return true;
  });
  return failed;
}

void find_taken(const inventory::Resolution& active, std::span<Suggestion> suggestions) {
  for (const auto& resource : active.resources) {
    const auto& at = resource.snapshot->resource->at.position;
    for (const inventory::Unit& unit : resource.snapshot->units) {
      for (Suggestion& suggestion : suggestions) {
        const bool has_device = std::ranges::any_of(
            unit.members->devices,
            [&](const inventory::UnitDevice& device) { return has_key(suggestion, device); });
        if (!has_device || !suggestion.taken.empty()) continue;
        suggestion.taken = fmt::format("{}:{}: {} offers it already, as {}", at.source->name,
                                       at.line, resource.name(), unit.id);
      }
    }
  }
}

}  // namespace patchbay::suggest
