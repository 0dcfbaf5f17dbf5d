#include "daemon/unmatched_groups.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "host/facts/device_tree.h"
#include "host/survey.h"
#include "inventory/near_miss.h"
#include "rules/compile.h"

namespace patchbay::daemon {
namespace {

constexpr size_t kMaxCandidates = 10'000;  ///< Reading them takes a second if drivers are fast.

/// `"tty" and "net"`: the names as written in the rule.
std::string quoted(std::span<const std::string> names) {
  std::vector<std::string> texts;
  for (const std::string& name : names) texts.push_back(fmt::format("\"{}\"", printable(name)));
  return join(texts, " and ");
}

std::string noun_of(const rules::Matcher& match, bool several) {
  switch (match.kind()) {
    case RuleKind::subsystem:
      return fmt::format("{} of the subsystem {}", several ? "devices" : "device",
                         quoted(match.subsystems()));
    case RuleKind::sysfs:
      return fmt::format("{} that {} finds", several ? "directories" : "directory",
                         quoted(match.patterns()));
    case RuleKind::glob:
      return fmt::format("{} that {} finds", several ? "paths" : "path", quoted(match.patterns()));
    case RuleKind::static_name:
      return several ? "static names" : "static name";
    case RuleKind::node:
      break;
  }
  return "";
}

std::string candidates_text(const rules::Matcher& match, size_t count) {
  const std::string number = count == 0 ? "no" : std::to_string(count);
  return fmt::format("{} {}", number, noun_of(match, count > 1));
}

/// A sentence with the nearest known name if the node has no such subsystem; else empty.
std::string unknown_subsystem(const rules::Matcher& match, const paths::HostRoot& root) {
  const auto names = match.subsystems();
  const auto known = host::known_subsystems(host::DeviceTree(root));
  const std::vector<std::string_view> words(known.begin(), known.end());
  if (names.size() != 1 || names.front().find_first_of("*?[\\") != std::string::npos) return "";
  if (std::ranges::find(known, names.front()) != known.end()) return "";
  const auto nearest = nearest_word(names.front(), words);
  return fmt::format("this node has no subsystem '{}'{}", printable(names.front()),
                     nearest ? fmt::format("; did you mean '{}'?", printable(*nearest)) : "");
}

/// A sentence if the fixed directory of the pattern does not exist; else empty.
std::string missing_directory(const rules::Matcher& match, const paths::HostRoot& root) {
  if (match.patterns().size() != 1) return "";
  const std::string& pattern = match.patterns().front();
  std::string directory = pattern.substr(0, pattern.find_first_of("*?[\\"));
  directory.resize(std::max<size_t>(directory.rfind('/'), 1));
  const std::string existing = host::existing_prefix(directory, root);
  if (existing == directory) return "";
  return fmt::format("{} does not exist, only {}", printable(directory), printable(existing));
}

std::string no_candidate_reason(const rules::Matcher& match, const paths::HostRoot& root) {
  switch (match.kind()) {
    case RuleKind::subsystem:
      return unknown_subsystem(match, root);
    case RuleKind::sysfs:
    case RuleKind::glob:
      return missing_directory(match, root);
    case RuleKind::static_name:
    case RuleKind::node:
      break;
  }
  return "";
}

}  // namespace

std::vector<status::UnmatchedGroup> find_unmatched_groups(const rules::Plan& plan,
                                                          const inventory::Resolution& resolution,
                                                          const paths::HostRoot& root) {
  const auto unmatched =
      std::make_shared<const rules::Plan>(inventory::plan_of_unmatched(plan, resolution));
  std::vector<status::UnmatchedGroup> found;
  if (unmatched->resources.empty()) return found;
  const auto devices = host::survey(rules::examination_query(unmatched), root, kMaxCandidates);
  for (inventory::NearMiss& miss : inventory::near_misses(plan, resolution, devices)) {
    const rules::Matcher& match = plan.group(miss.rule).match;
    std::string candidates = candidates_text(match, miss.considered);
    std::string why = miss.considered == 0 ? no_candidate_reason(match, root) : "";
    found.push_back({std::move(miss), std::move(candidates), std::move(why)});
  }
  return found;
}

}  // namespace patchbay::daemon
