#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/match/matcher.h"

/// Prints a matcher as text, and the reasons why a device does not match.
namespace patchbay::rules {
namespace {

constexpr size_t kMaxAncestorsShown = 4;  ///< Limit for reported ancestors.

/// The kind of a device that the rule does not apply to.
std::string_view kind_text(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kernel_device:
      return "a kernel device";
    case DeviceKind::sysfs_directory:
      return "a directory below /sys that is not a kernel device";
    case DeviceKind::path:
      return "a path";
    case DeviceKind::static_name:
      return "a static name";
    case DeviceKind::node:
      return "the node";
  }
  return "";
}

/// The devices that a rule of this kind applies to.
std::string_view scope_text(RuleKind kind) {
  switch (kind) {
    case RuleKind::subsystem:
      return "kernel devices";
    case RuleKind::sysfs:
      return "directories below /sys";
    case RuleKind::glob:
      return "paths";
    case RuleKind::static_name:
      return "static names";
    case RuleKind::node:
      return "the node";
  }
  return "";
}

DeviceKind device_kind_of(RuleKind kind) {
  switch (kind) {
    case RuleKind::subsystem:
    case RuleKind::sysfs:
      return DeviceKind::kernel_device;
    case RuleKind::glob:
      return DeviceKind::path;
    case RuleKind::static_name:
      return DeviceKind::static_name;
    case RuleKind::node:
      return DeviceKind::node;
  }
  return DeviceKind::kernel_device;
}

}  // namespace

/// The name as in a variable, usb.vendor; of a file, its path.
std::string Matcher::name_of(const Test& test) {
  if (test.fact == Fact::file) return printable(test.argument);
  return test.argument.empty() ? std::string(info(test.fact).word)
                               : fmt::format("{}.{}", info(test.fact).word, test.argument);
}

std::string Matcher::to_text(const Test& test) {
  const std::string_view word = info(test.fact).word;
  if (test.fact == Fact::glob) return fmt::format("{}: \"{}\"", word, printable(test.argument));
  const std::string condition = test.condition.to_text();
  return test.argument.empty() ? fmt::format("{}: {}", word, condition)
                               : fmt::format("{}: {{{}: {}}}", word, test.argument, condition);
}

std::string Matcher::blocks_text(std::string_view key, std::span<const Matcher> blocks) {
  std::vector<std::string> texts;
  for (const Matcher& block : blocks) texts.push_back(fmt::format("{{{}}}", block.to_text()));
  return fmt::format("{}: [{}]", key, join(texts, ", "));
}

bool Matcher::any_lists_patterns() const {
  return !any_.front().tests_.empty() && any_.front().tests_.front().fact == Fact::glob;
}

std::string Matcher::any_text() const {
  if (!any_lists_patterns()) return blocks_text("any", any_);
  std::vector<std::string> patterns;
  for (const Matcher& block : any_) {
    patterns.push_back(fmt::format("\"{}\"", printable(block.tests_.front().argument)));
  }
  return fmt::format("glob: [{}]", join(patterns, ", "));
}

std::string Matcher::found_text() const {
  const std::string patterns = join(patterns_, ", ");
  return patterns_.size() == 1 ? fmt::format("{}: {}", rule_word(kind_), patterns)
                               : fmt::format("{}: [{}]", rule_word(kind_), patterns);
}

std::string Matcher::to_text() const {
  std::vector<std::string> texts;
  if (!patterns_.empty()) texts.push_back(found_text());
  for (const Test& test : tests_) texts.push_back(to_text(test));
  if (!any_.empty()) texts.push_back(any_text());
  if (!all_.empty()) texts.push_back(blocks_text("all", all_));
  if (!except_.empty()) texts.push_back(blocks_text("except", except_));
  if (!ancestors_.empty()) texts.push_back(blocks_text("ancestor", ancestors_));
  return join(texts, ", ");
}

/// The mismatch, with the actual values and the values of the variables in the condition, or with
/// the reason why a variable has none.
Mismatch Matcher::mismatch(const Test& test, const Subject& subject, const TestResult& result) {
  Mismatch failed{test.at.position, to_text(test), {}};
  if (result.path && !*result.path) {
    failed.actual = result.path->error().message;
    return failed;
  }
  if (test.fact == Fact::glob) {
    failed.actual = fmt::format("{} finds nothing", printable(test.argument));
    return failed;
  }
  if (test.fact == Fact::env &&
      !std::ranges::all_of(result.values.all(), &std::string_view::empty)) {
    failed.actual = name_of(test) + " is set to a value that is not shown";
    return failed;
  }
  failed.actual =
      actual_values(result.path ? printable(**result.path) : name_of(test), result.values.all());
  const RenderScope scope{.device = subject.device};
  std::vector<const Template*> templates;
  test.condition.add_templates(templates);
  std::set<std::string> reported;
  for (const Template* const text : templates) {
    if (const auto whole = text->render(scope); !whole) {
      failed.actual += ", " + whole.error().message;
    }
    for (const Template::VariableUse& use : text->uses()) {
      const auto value = value_of(*use.variable, scope);
      if (!value || !reported.insert(use.variable->to_text()).second) continue;
      failed.actual += fmt::format(", {} is \"{}\"", use.variable->to_text(), printable(*value));
    }
  }
  return failed;
}

const Matcher::Test* Matcher::other_subsystem(const Subject& subject) const {
  const auto fails = [&](const Test& test) {
    return test.fact == Fact::subsystem && !run(test, subject).matched;
  };
  const auto found = std::ranges::find_if(tests_, fails);
  return found == tests_.end() ? nullptr : &*found;
}

bool Matcher::is_in_scope(const DeviceFacts& facts) const {
  return is_found(facts) &&
         (kind_ != RuleKind::subsystem || other_subsystem(subject(facts)) == nullptr);
}

/// Why the rule does not apply to the device.
Mismatch Matcher::scope_mismatch(const DeviceFacts& facts) const {
  if (kind_ == RuleKind::subsystem && facts.kind == DeviceKind::kernel_device) {
    const Subject compared = subject(facts);
    if (const Test* const other = other_subsystem(compared)) {
      return mismatch(*other, compared, run(*other, compared));
    }
  }
  const bool directory = facts.kind == DeviceKind::sysfs_directory && kind_ == RuleKind::sysfs;
  Mismatch failed{
      at_.position, kind_ == RuleKind::subsystem ? to_text(tests_.front()) : found_text(),
      fmt::format("the rule selects {}, but this is {}", scope_text(kind_), kind_text(facts.kind))};
  if (directory || facts.kind == device_kind_of(kind_)) {
    failed.actual = fmt::format("{} is not found by this rule", printable(facts.key));
  }
  return failed;
}

Mismatch Matcher::except_mismatch() const {
  return {at(), blocks_text("except", {this, 1}), "an except: block matches"};
}

Mismatch Matcher::any_mismatch(const Subject& subject) const {
  Mismatch none{any_.front().at(), any_text(),
                any_lists_patterns() ? "no path matches" : "none of its blocks matches"};
  for (const Matcher& block : any_) {
    none.nested.push_back(combine(block.at(), block.to_text(), block.block_mismatches(subject)));
  }
  return none;
}

/// Why no ancestor matches this block: the mismatches of the ancestors with the fewest of them.
Mismatch Matcher::ancestor_mismatch(const Subject& subject) const {
  Mismatch none{at(), blocks_text("ancestor", {this, 1}), "no device is above it"};
  std::vector<const DeviceFacts*> nearest;
  std::set<std::string> subsystems;
  for (const DeviceFacts& facts : subject.facts.ancestors) {
    if (!facts.subsystem.empty()) {
      subsystems.insert(fmt::format("\"{}\"", printable(facts.subsystem)));
    }
    if (other_subsystem(at_ancestor(facts, subject)) == nullptr) nearest.push_back(&facts);
  }
  if (!subsystems.empty()) {
    const std::vector<std::string> listed(subsystems.begin(), subsystems.end());
    none.actual = fmt::format("only {} is above it", join(listed, " and "));
  }
  if (nearest.empty()) return none;
  none.actual = "no device above it matches";
  const auto failures = [&](const DeviceFacts* facts) {
    return block_mismatches(at_ancestor(*facts, subject));
  };
  std::ranges::stable_sort(nearest, {}, [&](const auto* facts) { return failures(facts).size(); });
  nearest.resize(std::min(nearest.size(), kMaxAncestorsShown));
  for (const DeviceFacts* facts : nearest) {
    none.nested.push_back(
        {at(), to_text(), fmt::format("not {}", printable(facts->key)), failures(facts)});
  }
  return none;
}

Matcher::Mismatches Matcher::block_mismatches(const Subject& subject) const {
  Mismatches why;
  Captures ignored;
  evaluate(subject, ignored, &why);
  return why;
}

std::vector<Mismatch> Matcher::mismatches(const DeviceFacts& facts) const {
  if (!is_in_scope(facts)) return {scope_mismatch(facts)};
  return block_mismatches(subject(facts));
}

}  // namespace patchbay::rules
