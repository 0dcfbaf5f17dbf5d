#include "inventory/claims.h"

#include <algorithm>
#include <map>
#include <memory_resource>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::inventory {
namespace {

struct NumberHash {
  size_t operator()(const DeviceNumber& number) const {
    const uint64_t both = (uint64_t{number.major} << 32U) | number.minor;
    return std::hash<uint64_t>()(number.block ? ~both : both);
  }
};

/// The group and draft that have a device.
struct Claim {
  const KnownDevice* device = nullptr;  ///< Null: the device is free.
  size_t resource = 0;
  size_t group = 0;
  std::optional<size_t> draft{};  ///< Index among the drafts; unset: its `by` is unknown.
};

bool is_of(const Claim& claim, const rules::Rule& rule, size_t draft) {
  return claim.resource == rule.resource && claim.group == rule.group && claim.draft == draft;
}

/// The devices that a rule matches, by the text of their `by`; each list in natural order.
using JoinersByText = std::pmr::unordered_map<std::string_view, std::pmr::vector<DraftDevice>>;

class DeviceAssigner {
 public:
  DeviceAssigner(const rules::Plan& plan, const DeviceTable& devices);

  Claims run();

 private:
  using DraftsByText = std::pmr::map<std::string_view, size_t, std::less<>>;

  /// Assigns a number to each rule of the plan.
  void number_rules();
  void add_device(const KnownDevice& device);
  void assign_group(size_t resource, size_t group);
  void add_matched(const rules::Rule& rule, DraftsByText& by_text);
  void add_members(const rules::Rule& rule, const DraftsByText& by_text);
  /// As add_members(), for members that share their claims: claims of others are ignored.
  void add_shared(const rules::Rule& rule, const DraftsByText& by_text);
  /// The members of a rule that join a draft, each with the index of the draft; in natural order.
  using Joining = std::vector<std::pair<DraftDevice, size_t>>;
  [[nodiscard]] Joining joining(const rules::Rule& rule, const DraftsByText& by_text) const;
  /// The claim on the device, or on another device with its number, that applies to the rule.
  Claim& claim_on(const rules::Rule& rule, const DraftDevice& device);
  /// Claims the device. Returns the other owner, or null if the claim succeeded.
  const Claim* take(const rules::Rule& rule, const DraftDevice& device);
  /// Pairs of a draft and a device in one role. The device is the index of the first one with its
  /// number.
  using InRole = std::set<std::pair<size_t, size_t>>;
  /// Adds the joiner to a draft, unless the role already has another form of the device.
  void join(const DraftDevice& joiner, size_t resource, size_t draft, InRole& in_role);
  void refuse(const rules::Rule& rule, const DraftDevice& device, const Claim& claim);
  [[nodiscard]] std::string claimed_by(const KnownDevice& device, const Claim& claim) const;
  [[nodiscard]] size_t number_of(const rules::Rule& rule) const {
    return first_rules_[rule.resource][rule.group] + rule.role;
  }

  /// Memory of the containers below, which are filled device by device and freed together.
  std::pmr::monotonic_buffer_resource memory_;
  const rules::Plan& plan_;
  std::vector<std::vector<size_t>> first_rules_;  ///< The number of role 0, by resource and group.
  std::pmr::unordered_map<DeviceNumber, size_t, NumberHash> by_number_{&memory_};
  std::pmr::vector<size_t> first_of_number_{
      &memory_};  ///< Index of the first device with the same number, by index.
  std::vector<std::pmr::vector<DraftDevice>> matching_;  ///< By rule; in natural order.
  std::vector<JoinersByText> joiners_;        ///< By rule of RuleIndex::representative().
  std::pmr::vector<Claim> claims_{&memory_};  ///< By index of the first device with the number.
  /// Claims of the resources that share claims. A claim of another resource than the current one is
  /// ignored.
  std::pmr::vector<Claim> own_claims_{&memory_};
  std::set<std::pair<size_t, const KnownDevice*>> refused_;  ///< One entry per resource and device.
  Claims out_;
};

DeviceAssigner::DeviceAssigner(const rules::Plan& plan, const DeviceTable& devices) : plan_(plan) {
  number_rules();
  by_number_.reserve(devices.size());
  first_of_number_.reserve(devices.size());
  for (const auto& [key, device] : devices) {
    if (!device.matches.empty()) add_device(device);
  }
  claims_.resize(first_of_number_.size());
  own_claims_.resize(first_of_number_.size());
}

void DeviceAssigner::number_rules() {
  size_t rules = 0;
  for (const auto& resource : plan_.resources) {
    auto& first = first_rules_.emplace_back();
    for (const rules::GroupPlan& group : resource->groups) {
      first.push_back(rules);
      rules += group.roles();
    }
  }
  for (size_t rule = 0; rule < rules; ++rule) {
    matching_.emplace_back(&memory_);
    joiners_.emplace_back(&memory_);
  }
}

void DeviceAssigner::add_device(const KnownDevice& device) {
  const size_t index = first_of_number_.size();
  const auto& number = device.facts->number;
  first_of_number_.push_back(number ? by_number_.emplace(*number, index).first->second : index);
  for (const Match& match : device.matches) {
    const DraftDevice draft{&device, &match, match.rule.role, index};
    if (match.rule.role == 0) {
      matching_[number_of(match.rule)].push_back(draft);
    } else if (match.fault().empty()) {
      joiners_[number_of(match.rule)][match.by()].push_back(draft);
    } else {
      out_.orphaned[match.rule].push_back(draft);
    }
  }
}

Claim& DeviceAssigner::claim_on(const rules::Rule& rule, const DraftDevice& device) {
  const bool shares = plan_.resources[rule.resource]->shares_claims;
  Claim& claim = (shares ? own_claims_ : claims_)[first_of_number_[device.index]];
  if (shares && claim.resource != rule.resource) claim = {};
  return claim;
}

const Claim* DeviceAssigner::take(const rules::Rule& rule, const DraftDevice& device) {
  Claim& claim = claim_on(rule, device);
  if (claim.device == nullptr) {
    claim = {device.device, rule.resource, rule.group};
    return nullptr;
  }
  const bool own = claim.resource == rule.resource && claim.group == rule.group;
  return own && claim.device == device.device ? nullptr : &claim;
}

std::string DeviceAssigner::claimed_by(const KnownDevice& device, const Claim& claim) const {
  const std::string& resource = plan_.resources[claim.resource]->name;
  if (claim.device == &device) return fmt::format("claimed by {}", resource);
  return fmt::format("the same device node as {}, claimed by {}",
                     printable(claim.device->facts->key), resource);
}

void DeviceAssigner::refuse(const rules::Rule& rule, const DraftDevice& device,
                            const Claim& claim) {
  // A claim by an earlier group of the same resource needs no report.
  if (claim.resource == rule.resource && claim.device == device.device) return;
  if (!refused_.emplace(rule.resource, device.device).second) return;
  const Match& match = *device.match;
  out_.refusals[rule.resource].push_back(
      {.group = rule.group,
       .device = device.device->facts->key,
       .devnode = device.device->facts->devnode,
       .id = match.standalone_unit ? match.standalone_unit->id : "",
       .reason = claimed_by(*device.device, claim),
       .kind = Refusal::Kind::claimed});
}

void DeviceAssigner::add_matched(const rules::Rule& rule, DraftsByText& by_text) {
  auto& drafts = out_.by_resource[rule.resource];
  for (const DraftDevice& device : matching_[number_of(rule)]) {
    if (const Claim* other = take(rule, device)) {
      refuse(rule, device, *other);
      continue;
    }
    const Match& match = *device.match;
    if (!match.fault().empty()) {
      out_.refusals[rule.resource].push_back({.group = rule.group,
                                              .device = device.device->facts->key,
                                              .devnode = device.device->facts->devnode,
                                              .reason = match.fault()});
      continue;
    }
    if (!match.standalone_unit) {
      const auto [at, is_new] = by_text.emplace(match.by(), drafts.size());
      claim_on(rule, device).draft = at->second;
      if (!is_new) {
        drafts[at->second].devices.push_back(device);
        continue;
      }
    }
    drafts.push_back({rule.resource, rule.group, {{device}, out_.memory.get()}, {}});
  }
}

DeviceAssigner::Joining DeviceAssigner::joining(const rules::Rule& rule,
                                                const DraftsByText& by_text) const {
  const JoinersByText& members = joiners_[number_of(plan_.index.representative(rule))];
  Joining joining;
  for (const auto& [text, draft] : by_text) {
    const auto joiners = members.find(text);
    if (joiners == members.end()) continue;
    for (const DraftDevice& joiner : joiners->second) {
      joining.emplace_back(joiner, draft).first.role = rule.role;
    }
  }
  std::ranges::sort(joining, {}, [](const auto& joined) { return joined.first.index; });
  return joining;
}

void DeviceAssigner::join(const DraftDevice& joiner, size_t resource, size_t draft,
                          InRole& in_role) {
  if (!in_role.emplace(draft, first_of_number_[joiner.index]).second) return;
  out_.by_resource[resource][draft].devices.push_back(joiner);
}

void DeviceAssigner::add_shared(const rules::Rule& rule, const DraftsByText& by_text) {
  InRole in_role;
  for (const auto& [joiner, at] : joining(rule, by_text)) {
    join(joiner, rule.resource, at, in_role);
  }
}

void DeviceAssigner::add_members(const rules::Rule& rule, const DraftsByText& by_text) {
  InRole in_role;
  for (const auto& [joiner, at] : joining(rule, by_text)) {
    const Claim* other = take(rule, joiner);
    Claim& claim = claim_on(rule, joiner);
    if (other == nullptr && !claim.draft) claim.draft = at;
    // Another form of a claimed device can join only the unit that has the device.
    if (other == nullptr || is_of(claim, rule, at)) {
      join(joiner, rule.resource, at, in_role);
    } else {
      out_.by_resource[rule.resource][at].competing.push_back(
          {rule.role, fmt::format("{} is {}", printable(joiner.device->facts->key),
                                  claimed_by(*joiner.device, *other))});
    }
  }
}

void DeviceAssigner::assign_group(size_t resource, size_t group) {
  DraftsByText by_text(&memory_);
  add_matched({resource, group, 0}, by_text);
  const rules::GroupPlan& plan = plan_.resources[resource]->groups[group];
  for (Role role = 1; role < plan.roles(); ++role) {
    const rules::Rule rule{resource, group, role};
    plan.shares_claims(role) ? add_shared(rule, by_text) : add_members(rule, by_text);
  }
}

Claims DeviceAssigner::run() {
  out_.by_resource.resize(plan_.resources.size());
  out_.refusals.resize(plan_.resources.size());
  for (size_t resource = 0; resource < plan_.resources.size(); ++resource) {
    for (size_t group = 0; group < plan_.resources[resource]->groups.size(); ++group) {
      assign_group(resource, group);
    }
  }
  return std::move(out_);
}

}  // namespace

Claims assign_devices(const rules::Plan& plan, const DeviceTable& devices) {
  return DeviceAssigner(plan, devices).run();
}

}  // namespace patchbay::inventory
