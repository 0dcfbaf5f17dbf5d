#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "rules/lint/warnings.h"
#include "rules/match/condition_cover.h"
#include "rules/text/position.h"

namespace patchbay::rules {
namespace {

struct PrecedingGroup {
  const config::ResourceSpec* resource = nullptr;
  const config::GroupSpec* group = nullptr;
  bool shared = false;
  size_t number = 0;  ///< Index in the order of the configuration.
};

using When = std::optional<config::MatchSpec>;

/// Whether `first` matches each node that `second` matches.
bool implies(const When& first, const When& second) {
  return !first || (second && rules::same(*first, *second));
}

/// Whether each matching device is claimed: a device without a text for `by` is left to other
/// groups.
bool claims_all(const config::GroupSpec& group, const config::GroupSpec& later) {
  if (!group.by || group.by->value.find("$(") == std::string::npos) return true;
  return later.by && later.by->value == group.by->value;
}

bool takes_all(const PrecedingGroup& first, const PrecedingGroup& later) {
  const bool one_resource = first.resource == later.resource;
  if (!one_resource && (first.shared || later.shared)) return false;
  // Static names belong to their resource alone.
  if (!later.group->match.static_names.empty()) return false;
  return implies(first.resource->when, later.resource->when) &&
         implies(first.group->when, later.group->when) && claims_all(*first.group, *later.group) &&
         covers(first.group->match, later.group->match);
}

void warn(const PrecedingGroup& first, const PrecedingGroup& later,
          config::Diagnostics& diagnostics) {
  const bool equal = covers(later.group->match, first.group->match);
  const std::string where = location_text(first.group->match.at);
  if (first.resource == later.resource) {
    diagnostics.warning(
        later.group->match.at,
        fmt::format(
            "this group never gets a device: the group at {} is before it and matches all of them",
            where),
        equal ? "remove one of the two, or make the matches differ"
              : "put the group with more conditions first");
    return;
  }
  const std::string_view operand = later.resource->groups.size() > 1 ? "this group of " : "";
  diagnostics.warning(
      later.group->match.at,
      fmt::format("{}'{}' never gets a device: '{}' ({}) is before it and matches all of them",
                  operand, later.resource->name.value, first.resource->name.value, where),
      equal ? "make the matches differ; or write claim: shared in one of the two; for several "
              "containers per device write share: {count: 2}"
            : "put the resource with more conditions first, or exclude its devices from the other "
              "with except:");
}

/// Adds the texts without wildcards that meet the condition.
void add_literals(const config::ConditionSpec& condition, std::vector<std::string_view>& texts) {
  if (condition.form == config::ConditionSpec::Form::text &&
      condition.text.find_first_of("*?[\\") == std::string::npos) {
    texts.push_back(condition.text);
  }
  for (const config::ConditionSpec& operand : condition.list) add_literals(operand, texts);
}

/// A key: one match can cover another only if both have the same key.
std::string key(Fact fact, std::string_view name, std::string_view text) {
  return fmt::format("{} {} {}", info(fact).word, name, text);
}

std::vector<std::string> keys_of(const config::MatchSpec& match) {
  std::vector<std::string> keys;
  for (const auto& path : match.glob) keys.push_back(key(Fact::glob, "", path.value));
  for (const config::FactConditionSpec& condition : match.conditions) {
    std::vector<std::string_view> texts;
    add_literals(condition.condition, texts);
    for (const std::string_view text : texts) {
      keys.push_back(key(condition.fact, condition.name.value, text));
    }
  }
  return keys;
}

/// A key of each match that this one covers. Empty if there is none. If there are several, one that
/// few others have.
std::string own_key(const config::MatchSpec& match) {
  if (match.glob.size() == 1 &&
      match.glob.front().value.find_first_of("*?[\\") == std::string::npos) {
    return key(Fact::glob, "", match.glob.front().value);
  }
  constexpr std::array kCommon{Fact::subsystem, Fact::devtype, Fact::driver};
  std::string found;
  for (const config::FactConditionSpec& condition : match.conditions) {
    std::vector<std::string_view> texts;
    add_literals(condition.condition, texts);
    const bool common = std::ranges::find(kCommon, condition.fact) != kCommon.end();
    if (condition.condition.form != config::ConditionSpec::Form::text || texts.empty() || common) {
      continue;
    }
    found = key(condition.fact, condition.name.value, texts.front());
  }
  return found;
}

/// The preceding groups in order, by their keys, so that each group is compared with few others.
class PrecedingGroups {
 public:
  /// The first preceding group that takes all devices of this one. Null if there is none.
  [[nodiscard]] const PrecedingGroup* find_taker(const PrecedingGroup& later) const {
    const PrecedingGroup* first = nullptr;
    const auto search = [&](const std::vector<PrecedingGroup>& groups) {
      const auto found = std::ranges::find_if(
          groups, [&](const PrecedingGroup& group) { return takes_all(group, later); });
      if (found == groups.end() || (first != nullptr && first->number < found->number)) return;
      first = &*found;
    };
    search(others_);
    for (const std::string& key : keys_of(later.group->match)) {
      if (const auto same = by_key_.find(key); same != by_key_.end()) search(same->second);
    }
    return first;
  }

  void add(PrecedingGroup group) {
    group.number = count_++;
    const std::string key = own_key(group.group->match);
    if (!key.empty()) {
      by_key_[key].push_back(group);
    } else if (others_.size() < kMaxOthers) {
      others_.push_back(group);
    }
  }

 private:
  /// Without this limit, a configuration with thousands of patterns would take seconds.
  static constexpr size_t kMaxOthers = 128;

  std::unordered_map<std::string, std::vector<PrecedingGroup>> by_key_;
  std::vector<PrecedingGroup> others_;
  size_t count_ = 0;
};

}  // namespace

void warn_of_unreached(std::span<const config::Spec> specs, config::Diagnostics& diagnostics) {
  PrecedingGroups before;
  for (const config::Spec& spec : specs) {
    for (const config::ResourceSpec& resource : spec.resources) {
      const bool shared = resource.claim && resource.claim->value == config::ClaimMode::shared;
      for (const config::GroupSpec& group : resource.groups) {
        const PrecedingGroup later{&resource, &group, shared};
        if (const PrecedingGroup* const taker = before.find_taker(later))
          warn(*taker, later, diagnostics);
        before.add(later);
      }
    }
  }
}

}  // namespace patchbay::rules
