#include "inventory/explain.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "inventory/claims.h"

namespace patchbay::inventory {
namespace {

using Kind = RuleExplanation::Kind;
using rules::Rule;

Kind kind_of(Refusal::Kind kind) {
  switch (kind) {
    case Refusal::Kind::refused:
      return Kind::refused;
    case Refusal::Kind::incomplete:
      return Kind::incomplete;
    case Refusal::Kind::claimed:
      return Kind::claimed;
  }
  return Kind::refused;
}

/// Whether two entries are one device, such as device nodes with one number.
bool is_same(const DeviceFacts& a, const DeviceFacts& b) {
  return a.key == b.key || (a.number && a.number == b.number);
}

/// The form of the device that the draft has. Null if the draft has none, or if `kept` and its
/// claim is shared.
const DeviceFacts* form_in(const rules::GroupPlan& group, const UnitDraft& draft,
                           const DeviceFacts& device, bool kept) {
  const auto found = std::ranges::find_if(draft.devices, [&](const DraftDevice& own) {
    return is_same(*own.device->facts, device) && !(kept && group.shares_claims(own.role));
  });
  return found == draft.devices.end() ? nullptr : found->device->facts.get();
}

/// How badly a form fits a rule that does not match it: 0 is best.
size_t distance(const rules::Matcher& match, const DeviceFacts& form) {
  constexpr size_t kOtherForm = 1'000;
  constexpr size_t kOtherKind = 2'000;
  if (match.is_in_scope(form)) return match.mismatches(form).size();
  const bool of_path = form.kind == DeviceKind::path;
  const bool of_static = form.kind == DeviceKind::static_name;
  const bool wants_path = match.kind() == RuleKind::glob;
  const bool wants_static = match.kind() == RuleKind::static_name;
  return of_path == wants_path && of_static == wants_static ? kOtherForm : kOtherKind;
}

class Explainer {
 public:
  Explainer(const rules::Plan& plan, const DeviceTable& devices, const Resolution& resolution)
      : plan_(plan),
        devices_(devices),
        resolution_(resolution),
        claims_(assign_devices(plan, devices)) {}

  /// Adds the explanations of one rule for the entity.
  void explain(const Rule& rule, std::span<const DeviceFactsPtr> forms,
               std::vector<RuleExplanation>& out);

 private:
  /// The result of a rule that matches the entity.
  [[nodiscard]] RuleExplanation outcome(const Rule& rule, const std::string& key) const;
  [[nodiscard]] RuleExplanation of_draft(const UnitDraft& draft, RuleExplanation verdict) const;
  [[nodiscard]] RuleExplanation without_draft(RuleExplanation verdict) const;
  [[nodiscard]] const Refusal* refusal_of(const Rule& rule, const std::string& key) const;
  [[nodiscard]] const Match* match_of(const Rule& rule, const std::string& key) const;
  /// "claimed by …"; empty if no other group has it.
  [[nodiscard]] std::string other_owner(const Rule& rule, const std::string& key) const;
  /// The other form of the device in a unit of the group; null if no unit has one.
  [[nodiscard]] const DeviceFacts* other_form(const Rule& rule, const std::string& key) const;

  const rules::Plan& plan_;
  const DeviceTable& devices_;
  const Resolution& resolution_;
  Claims claims_;
};

const Refusal* Explainer::refusal_of(const Rule& rule, const std::string& key) const {
  const Refusals& refusals = resolution_.resources[rule.resource].refusals;
  const auto found = std::ranges::find_if(refusals, [&](const Refusal& refusal) {
    return refusal.group == rule.group && refusal.device == key;
  });
  return found == refusals.end() ? nullptr : &*found;
}

const Match* Explainer::match_of(const Rule& rule, const std::string& key) const {
  const auto known = devices_.find(key);
  if (known == devices_.end()) return nullptr;
  const auto found =
      std::ranges::find(known->second.matches, plan_.index.representative(rule), &Match::rule);
  return found == known->second.matches.end() ? nullptr : &*found;
}

std::string Explainer::other_owner(const Rule& rule, const std::string& key) const {
  const auto& resources = plan_.resources;
  if (plan_.group(rule).shares_claims(rule.role)) return "";
  const DeviceFacts& device = *devices_.find(key)->second.facts;
  for (size_t resource = 0; resource < resources.size(); ++resource) {
    const bool own = resource == rule.resource;
    if (!own && (resources[resource]->shares_claims || resources[rule.resource]->shares_claims)) {
      continue;
    }
    for (const UnitDraft& draft : claims_.by_resource[resource]) {
      if (own && draft.group == rule.group) continue;
      const DeviceFacts* const form =
          form_in(resources[resource]->groups[draft.group], draft, device, true);
      if (form == nullptr) continue;
      if (own) return "claimed by an earlier group of the resource";
      const std::string by = fmt::format("claimed by {}", resources[resource]->name);
      return form->key == key
                 ? by
                 : fmt::format("the same device node as {}, {}", printable(form->key), by);
    }
  }
  return "";
}

const DeviceFacts* Explainer::other_form(const Rule& rule, const std::string& key) const {
  const DeviceFacts& device = *devices_.find(key)->second.facts;
  for (const UnitDraft& draft : claims_.by_resource[rule.resource]) {
    if (draft.group != rule.group) continue;
    const DeviceFacts* const form = form_in(plan_.group(rule), draft, device, false);
    if (form != nullptr && form->key != key) return form;
  }
  return nullptr;
}

RuleExplanation Explainer::of_draft(const UnitDraft& draft, RuleExplanation verdict) const {
  const auto& units = resolution_.resources[verdict.rule.resource].snapshot->units;
  const auto unit = std::ranges::find_if(units, [&](const Unit& candidate) {
    const bool lost = candidate.checks == nullptr;
    return !lost && candidate.members->group == verdict.rule.group &&
           std::ranges::any_of(candidate.members->devices, [&](const UnitDevice& device) {
             return device.facts->key == verdict.key;
           });
  });
  if (unit != units.end()) {
    verdict.kind = Kind::unit;
    verdict.id = unit->id;
    verdict.id_source = unit->id_source;
    verdict.healthy = unit->healthy;
    verdict.reason = unit->reason;
    return verdict;
  }
  const Refusal* refusal = refusal_of(verdict.rule, draft.first().device->facts->key);
  verdict.kind = refusal != nullptr ? kind_of(refusal->kind) : Kind::refused;
  verdict.id = refusal != nullptr ? refusal->id : "";
  verdict.reason = refusal != nullptr ? refusal->reason : "its unit changed: run the command again";
  return verdict;
}

RuleExplanation Explainer::without_draft(RuleExplanation verdict) const {
  const Match* match = match_of(verdict.rule, verdict.key);
  verdict.kind = Kind::refused;
  if (match == nullptr) {
    verdict.reason = "it matches now, but not at the last scan: run the command again";
  } else if (const Refusal* refusal = refusal_of(verdict.rule, verdict.key)) {
    verdict.kind = kind_of(refusal->kind);
    verdict.id = refusal->id;
    verdict.reason = refusal->reason;
  } else if (auto owner = other_owner(verdict.rule, verdict.key); !owner.empty()) {
    verdict.kind = Kind::claimed;
    verdict.reason = std::move(owner);
  } else if (!match->fault().empty()) {
    verdict.reason = match->fault();
  } else if (const DeviceFacts* const form = other_form(verdict.rule, verdict.key)) {
    verdict.kind = Kind::claimed;
    verdict.reason = fmt::format("the same device node as {}, which the group already has",
                                 printable(form->key));
  } else {
    verdict.kind = Kind::orphaned_member;
    verdict.reason = fmt::format("{} is \"{}\", but no device of the group has the same value",
                                 plan_.group(verdict.rule).by_of(verdict.rule.role)->text(),
                                 printable(match->by()));
  }
  return verdict;
}

RuleExplanation Explainer::outcome(const Rule& rule, const std::string& key) const {
  RuleExplanation verdict{.rule = rule, .key = key};
  for (const UnitDraft& draft : claims_.by_resource[rule.resource]) {
    const auto is_it = [&](const DraftDevice& device) {
      return draft.group == rule.group && device.role == rule.role &&
             device.device->facts->key == key;
    };
    if (std::ranges::any_of(draft.devices, is_it)) return of_draft(draft, std::move(verdict));
  }
  return without_draft(std::move(verdict));
}

void Explainer::explain(const Rule& rule, std::span<const DeviceFactsPtr> forms,
                        std::vector<RuleExplanation>& out) {
  const rules::Matcher& match = plan_.group(rule).matcher(rule.role);
  bool matched = false;
  for (const DeviceFactsPtr& form : forms) {
    if (!match.mismatches(*form).empty()) continue;
    matched = true;
    out.push_back(outcome(rule, form->key));
  }
  if (matched || forms.empty()) return;
  const DeviceFactsPtr& nearest = *std::ranges::min_element(
      forms, {}, [&](const DeviceFactsPtr& form) { return distance(match, *form); });
  out.push_back({.rule = rule,
                 .kind = match.is_in_scope(*nearest) ? Kind::does_not_match : Kind::out_of_scope,
                 .key = nearest->key,
                 .mismatches = match.mismatches(*nearest)});
}

}  // namespace

std::vector<RuleExplanation> explain(const rules::Plan& plan, const DeviceTable& devices,
                                     const Resolution& resolution,
                                     std::span<const DeviceFactsPtr> forms) {
  Explainer explainer(plan, devices, resolution);
  std::vector<RuleExplanation> verdicts;
  for (const Rule& rule : plan.index.all()) explainer.explain(rule, forms, verdicts);
  return verdicts;
}

}  // namespace patchbay::inventory
