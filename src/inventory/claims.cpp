#include "inventory/claims.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::inventory {
namespace {

/// Who has a device.
struct Claim {
  size_t resource = 0;
  size_t group = 0;
  const KnownDevice* device = nullptr;
};
/// By the device, or the first with its number.
using ClaimTable = std::unordered_map<const KnownDevice*, Claim>;

/// The devices that groups match, in natural order.
using Matching = std::map<rules::Rule, std::vector<DraftDevice>>;

/// A device that can be a member.
struct Joiner {
  size_t place = 0;  ///< Among all devices, in natural order.
  const KnownDevice* device = nullptr;
  const Match* match = nullptr;
};
/// Those of one rule by the text that they make, each in natural order.
using JoinersByText = std::unordered_map<std::string_view, std::vector<Joiner>>;

class ClaimSettler {
 public:
  ClaimSettler(const rules::Plan& plan, const DeviceTable& devices);

  Claims run();

 private:
  using DraftsByText = std::map<std::string_view, size_t, std::less<>>;

  void settle_group(size_t resource, size_t group);
  void add_matched(const rules::Rule& rule, DraftsByText& by_text);
  void add_members(const rules::Rule& rule, const DraftsByText& by_text);
  /// Claims the device. Not null: who else has it.
  const Claim* take(const rules::Rule& rule, const KnownDevice& device);
  void refuse(const rules::Rule& rule, const DraftDevice& device, const Claim& claim);
  [[nodiscard]] std::string claimed_by(const KnownDevice& device, const Claim& claim) const;
  [[nodiscard]] const KnownDevice* identity(const KnownDevice& device) const;

  const rules::Plan& plan_;
  std::map<DeviceNumber, const KnownDevice*> by_number_;
  Matching matching_;
  std::map<rules::Rule, JoinersByText> joiners_;  ///< By RuleIndex::first_alike().
  ClaimTable claims_;
  ClaimTable own_claims_;  ///< Of the resource at hand, if it shares claims.
  std::set<std::pair<size_t, const KnownDevice*>> refused_;  ///< Once for each resource.
  Claims out_;
};

ClaimSettler::ClaimSettler(const rules::Plan& plan, const DeviceTable& devices) : plan_(plan) {
  size_t place = 0;
  for (const auto& [key, device] : devices) {
    ++place;
    if (device.matches.empty()) continue;
    if (device.facts->number) by_number_.emplace(*device.facts->number, &device);
    for (const Match& match : device.matches) {
      if (match.rule.role == 0) {
        matching_[match.rule].push_back({&device, &match});
      } else if (match.fault.empty()) {
        joiners_[match.rule][match.by].push_back({place, &device, &match});
      }
    }
  }
}

const KnownDevice* ClaimSettler::identity(const KnownDevice& device) const {
  return device.facts->number ? by_number_.at(*device.facts->number) : &device;
}

const Claim* ClaimSettler::take(const rules::Rule& rule, const KnownDevice& device) {
  ClaimTable& claims = plan_.resources[rule.resource].shares_claims ? own_claims_ : claims_;
  const auto [at, is_new] =
      claims.emplace(identity(device), Claim{rule.resource, rule.group, &device});
  const Claim& claim = at->second;
  const bool own = claim.resource == rule.resource && claim.group == rule.group;
  return is_new || (own && claim.device == &device) ? nullptr : &claim;
}

std::string ClaimSettler::claimed_by(const KnownDevice& device, const Claim& claim) const {
  const std::string& resource = plan_.resources[claim.resource].name;
  if (claim.device == &device) return fmt::format("claimed by {}", resource);
  return fmt::format("the same device node as {}, claimed by {}",
                     printable(claim.device->facts->key), resource);
}

void ClaimSettler::refuse(const rules::Rule& rule, const DraftDevice& device, const Claim& claim) {
  // That a former group of the resource has it goes without saying.
  if (claim.resource == rule.resource && claim.device == device.device) return;
  if (!refused_.emplace(rule.resource, device.device).second) return;
  const Match& match = *device.match;
  out_.refusals.push_back({.resource = rule.resource,
                           .group = rule.group,
                           .device = device.device->facts->key,
                           .id = match.alone ? match.alone->id : "",
                           .reason = claimed_by(*device.device, claim),
                           .kind = Refusal::Kind::claimed});
}

void ClaimSettler::add_matched(const rules::Rule& rule, DraftsByText& by_text) {
  auto& drafts = out_.by_resource[rule.resource];
  for (const DraftDevice& device : matching_[rule]) {
    if (const Claim* other = take(rule, *device.device)) {
      refuse(rule, device, *other);
      continue;
    }
    const Match& match = *device.match;
    if (!match.fault.empty()) {
      out_.refusals.push_back({.resource = rule.resource,
                               .group = rule.group,
                               .device = device.device->facts->key,
                               .id = {},
                               .reason = match.fault});
      continue;
    }
    if (!match.alone) {
      const auto [at, is_new] = by_text.emplace(match.by, drafts.size());
      if (!is_new) {
        drafts[at->second].devices.push_back(device);
        continue;
      }
    }
    drafts.push_back({rule.resource, rule.group, {device}, {}});
  }
}

void ClaimSettler::add_members(const rules::Rule& rule, const DraftsByText& by_text) {
  const auto members = joiners_.find(plan_.index.first_alike(rule));
  if (members == joiners_.end()) return;
  std::vector<std::pair<Joiner, size_t>> joining;  // And the draft that each joins.
  for (const auto& [text, draft] : by_text) {
    const auto joiners = members->second.find(text);
    if (joiners == members->second.end()) continue;
    for (const Joiner& joiner : joiners->second) joining.emplace_back(joiner, draft);
  }
  std::ranges::sort(joining, {}, [](const auto& joined) { return joined.first.place; });
  for (const auto& [joiner, at] : joining) {
    UnitDraft& draft = out_.by_resource[rule.resource][at];
    const Claim* other = take(rule, *joiner.device);
    // Other parts of the same group may have it, too; but not under another name for its node.
    const bool own =
        other != nullptr && other->resource == rule.resource && other->group == rule.group;
    if (other == nullptr) {
      draft.devices.push_back({joiner.device, joiner.match, rule.role});
    } else if (!own) {
      draft.elsewhere.push_back(
          {rule.role, fmt::format("{} is {}", printable(joiner.device->facts->key),
                                  claimed_by(*joiner.device, *other))});
    }
  }
}

void ClaimSettler::settle_group(size_t resource, size_t group) {
  DraftsByText by_text;
  add_matched({resource, group, 0}, by_text);
  for (Role role = 1; role < plan_.resources[resource].groups[group].roles(); ++role) {
    add_members({resource, group, role}, by_text);
  }
}

Claims ClaimSettler::run() {
  out_.by_resource.resize(plan_.resources.size());
  for (size_t resource = 0; resource < plan_.resources.size(); ++resource) {
    own_claims_.clear();
    for (size_t group = 0; group < plan_.resources[resource].groups.size(); ++group) {
      settle_group(resource, group);
    }
  }
  return std::move(out_);
}

}  // namespace

Claims settle_claims(const rules::Plan& plan, const DeviceTable& devices) {
  return ClaimSettler(plan, devices).run();
}

}  // namespace patchbay::inventory
