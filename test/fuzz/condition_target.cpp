#include <fnmatch.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "config/spec_reader.h"
#include "fake/facts.h"
#include "fuzz/must.h"
#include "fuzz/pieces.h"
#include "fuzz/targets.h"
#include "model/facts.h"
#include "rules/compile.h"
#include "rules/plan/plan.h"

namespace patchbay::fuzz {
namespace {

constexpr const char* kBegin =
    "apiVersion: patchbay/v1\n"
    "kind: Config\n"
    "resources:\n"
    "  - name: a.io/x\n"
    "    id: $(name)\n"
    "    match:\n"
    "      subsystem: tty\n";

/// The lines of a text, each indented by `by` spaces.
std::string indented(std::string_view text, size_t by) {
  std::string out;
  for (const std::string_view line : split(text, '\n')) {
    out.append(by, ' ').append(line).push_back('\n');
  }
  return out;
}

/// The plan of a rule with these conditions; null if they are invalid.
rules::PlanPtr plan_with(const std::string& conditions) {
  config::Diagnostics diagnostics;
  const auto file =
      std::make_shared<const config::Source>(config::Source{"fuzz.yaml", kBegin + conditions});
  const std::vector<config::Spec> specs = {config::read_spec(file, diagnostics)};
  return rules::compile(specs, {.node = "bench-1"}, diagnostics);
}

/// The match of the only group. Null if there are other resources or groups, because then the text
/// was more than one condition.
const rules::Matcher* only_match(const rules::PlanPtr& plan) {
  if (!plan || plan->resources.size() != 1 || plan->resources[0]->groups.size() != 1)
    return nullptr;
  return &plan->resources[0]->groups[0].match;
}

DeviceFacts device_with(const std::vector<std::string>& values) {
  DeviceFacts facts;
  facts.key = "/sys/devices/x/ttyUSB0";
  facts.name = "ttyUSB0";
  facts.subsystem = "tty";
  facts.devnode = "/dev/ttyUSB0";
  fake::set(facts, Fact::property, "PLAIN", {"7"});
  fake::set(facts, Fact::tag, values);
  return facts;
}

bool matches(const rules::Matcher& match, const DeviceFacts& facts) {
  rules::Captures captures;
  const bool matched = match.matches(facts, captures);
  must(matched == match.mismatches(facts).empty(), "what does not match says why");
  if (matched) must(match.could_match(facts), "what matches is read");
  return matched;
}

/// A condition on the subsystem restricts which devices are enumerated. Checks that they include
/// each match.
void check_cover(std::string_view condition, const std::string& value) {
  if (value.empty() || value.find('/') != std::string::npos) return;
  config::Diagnostics diagnostics;
  std::string text = kBegin;
  text.resize(text.rfind("      subsystem"));
  const auto file = std::make_shared<const config::Source>(
      config::Source{"fuzz.yaml", text + "      subsystem:\n" + indented(condition, 8)});
  const std::vector<config::Spec> specs = {config::read_spec(file, diagnostics)};
  const rules::PlanPtr plan = rules::compile(specs, {.node = "bench-1"}, diagnostics);
  const rules::Matcher* const match = only_match(plan);
  if (match == nullptr || match->kind() != RuleKind::subsystem) return;
  DeviceFacts facts = device_with({});
  facts.subsystem = value;
  if (!matches(*match, facts)) return;
  const auto cover = match->subsystems();
  must(std::ranges::any_of(cover,
                           [&](const std::string& pattern) {
                             return ::fnmatch(pattern.c_str(), value.c_str(), 0) == 0;
                           }),
       "a subsystem that matches is enumerated", value);
  must(plan->index.candidates(facts).size() == 1, "a subsystem that matches is looked up", value);
}

}  // namespace

void examine_condition(std::string_view data) {
  const auto pieces = pieces_of(data);
  const std::string_view condition = pieces.front();
  std::vector<std::string> values;
  for (size_t i = 1; i < pieces.size(); ++i) {
    values.emplace_back(trim_end(pieces[i].substr(0, pieces[i].find('\0'))));
  }
  for (const std::string& value : values) check_cover(condition, value);

  const rules::PlanPtr plan = plan_with("      tag:\n" + indented(condition, 8));
  const rules::Matcher* const match = only_match(plan);
  if (match == nullptr) return;
  must_be_plain(match->to_text(), "a condition for people is plain text");
  const rules::PlanPtr opposite = plan_with("      tag:\n        not:\n" + indented(condition, 10));
  const rules::Matcher* const opposite_match = only_match(opposite);
  const bool certain = condition.find("$(") == std::string_view::npos;
  std::erase(values, "");
  std::vector<std::vector<std::string>> cases = {{}, values};
  for (const std::string& value : values) cases.push_back({value});
  for (const auto& some : cases) {
    const DeviceFacts facts = device_with(some);
    const bool matched = matches(*match, facts);
    if (opposite_match == nullptr) continue;
    const bool opposite_matched = matches(*opposite_match, facts);
    must(!matched || !opposite_matched, "never a condition and its opposite", condition);
    must(!certain || some.size() != 1 || matched || opposite_matched, "a condition or its opposite",
         condition);
  }
}

}  // namespace patchbay::fuzz
