#include "rules/match/matcher.h"

#include <algorithm>
#include <array>

namespace patchbay::rules {
namespace {

/// Whether the value costs nothing to read: see HostQuery::wanted.
bool is_free(const VariableRef& ref) {
  return ref.variable == Variable::fact && info(ref.fact).cost == Cost::none && ref.above.empty();
}

std::vector<const Template*> templates_of(const Condition& condition) {
  std::vector<const Template*> templates;
  condition.add_templates(templates);
  return templates;
}

}  // namespace

Matcher::Subject Matcher::subject(const DeviceFacts& facts) const {
  return {facts, {.facts = &facts, .path = found_path(facts)}};
}

Matcher::Subject Matcher::at_ancestor(const DeviceFacts& facts, const Subject& below) {
  return {facts, below.device, below.undecided};
}

Matcher::Subject Matcher::inverted(const Subject& subject) {
  return {subject.facts, subject.device, opposite(subject.undecided)};
}

Cost Matcher::cost_of(const Test& test) {
  const Cost own = info(test.fact).cost;
  for (const Template* const text : templates_of(test.condition)) {
    for (const Template::VariableUse& use : text->uses()) {
      if (!is_free(*use.variable)) return std::max(own, Cost::database);
    }
  }
  return own;
}

std::string_view Matcher::found_path(const DeviceFacts& facts) const {
  if (facts.kind == DeviceKind::static_name) {
    const auto found = std::ranges::find(patterns_, facts.name);
    return found == patterns_.end() ? std::string_view{} : *found;
  }
  for (const std::string& pattern : patterns_) {
    const auto found = std::ranges::find(facts.found_by, pattern, &FoundBy::pattern);
    if (found != facts.found_by.end()) return found->path.empty() ? facts.key : found->path;
  }
  return {};
}

/// Whether the rule applies to the kind of the device and to the way in which it was found.
bool Matcher::is_found(const DeviceFacts& facts) const {
  switch (kind_) {
    case RuleKind::subsystem:
      return facts.kind == DeviceKind::kernel_device;
    case RuleKind::sysfs:
      return (facts.kind == DeviceKind::kernel_device ||
              facts.kind == DeviceKind::sysfs_directory) &&
             !found_path(facts).empty();
    case RuleKind::glob:
      return facts.kind == DeviceKind::path && !found_path(facts).empty();
    case RuleKind::static_name:
      return facts.kind == DeviceKind::static_name && !found_path(facts).empty();
    case RuleKind::node:
      return facts.kind == DeviceKind::node;
  }
  return false;
}

Matcher::TestResult Matcher::run(const Test& test, const Subject& subject, Captures* captures) {
  TestResult out;
  if (test.path) {
    out.path = test.path->render({.device = subject.device});
    out.matched = subject.undecided == Undecided::matches;
    if (!*out.path) return out;
    out.values = Values(subject.facts.known.of(Fact::file, **out.path));
  } else {
    out.values = values_of(subject.facts, test.fact, test.argument);
  }
  out.matched = test.condition.has_variables()
                    ? test.condition.filled({.device = subject.device})
                          .matches(out.values.all(), captures, subject.undecided)
                    : test.condition.matches(out.values.all(), captures, subject.undecided);
  return out;
}

/// Whether all tests up to this cost match.
bool Matcher::cheap_tests_match(const Subject& subject, Cost most) const {
  return std::ranges::all_of(
      tests_, [&](const Test& test) { return test.cost > most || run(test, subject).matched; });
}

bool Matcher::any_ancestor_matches(const Subject& subject, Captures& captures) const {
  return std::ranges::any_of(subject.facts.ancestors, [&](const DeviceFacts& facts) {
    return evaluate(at_ancestor(facts, subject), captures);
  });
}

size_t Matcher::ancestor_depth(const Subject& subject) const {
  size_t most = 0;
  Captures ignored;
  for (const Matcher& block : ancestors_) {
    const auto first = std::ranges::find_if(subject.facts.ancestors, [&](const DeviceFacts& facts) {
      return block.evaluate(at_ancestor(facts, subject), ignored);
    });
    most = std::max(most, static_cast<size_t>(first - subject.facts.ancestors.begin()) + 1);
  }
  for (const Matcher& block : all_) most = std::max(most, block.ancestor_depth(subject));
  const auto matching = std::ranges::find_if(
      any_, [&](const Matcher& block) { return block.evaluate(subject, ignored); });
  return matching == any_.end() ? most : std::max(most, matching->ancestor_depth(subject));
}

size_t Matcher::ancestor_depth(const DeviceFacts& facts) const {
  return ancestor_depth(subject(facts));
}

/// The captures of a block are kept only if the whole block matches.
bool Matcher::evaluate(const Subject& subject, Captures& captures, Mismatches* why) const {
  Captures own;
  bool good = true;
  // Whether the evaluation can stop.
  const auto fails = [&](const auto& mismatch_of) {
    good = false;
    if (why != nullptr) why->push_back(mismatch_of());
    return why == nullptr;
  };
  const auto fails_with = [&](const Test& test, const TestResult& result) {
    return fails([&] { return mismatch(test, subject, result); });
  };
  for (const Test& test : tests_) {
    const TestResult result = run(test, subject, &own);
    if (!result.matched && fails_with(test, result)) return false;
  }
  for (const Matcher& block : all_) {
    if (block.evaluate(subject, own, why)) continue;
    good = false;
    if (why == nullptr) return false;
  }
  for (const Matcher& block : except_) {
    Captures ignored;
    const bool matched = block.evaluate(inverted(subject), ignored);
    if (matched && fails([&] { return block.except_mismatch(); })) return false;
  }
  for (const Matcher& block : ancestors_) {
    const bool matched = block.any_ancestor_matches(subject, own);
    if (!matched && fails([&] { return block.ancestor_mismatch(subject); })) return false;
  }
  const bool any_matched = any_.empty() || std::ranges::any_of(any_, [&](const Matcher& block) {
                             return block.evaluate(subject, own);
                           });
  if (!any_matched && fails([&] { return any_mismatch(subject); })) return false;
  if (good) captures.merge(own);
  return good;
}

bool Matcher::could_match_subject(const Subject& cheap) const {
  if (!cheap_tests_match(cheap, Cost::none)) return false;
  const auto may_match = [&](const Matcher& block) { return block.could_match_subject(cheap); };
  if (!std::ranges::all_of(all_, may_match)) return false;
  return any_.empty() || std::ranges::any_of(any_, [&](const Matcher& block) {
           return block.could_match_subject(cheap);
         });
}

bool Matcher::could_match(const DeviceFacts& cheap) const {
  return is_found(cheap) && could_match_subject(subject(cheap));
}

bool Matcher::matches(const DeviceFacts& facts, Captures& captures) const {
  captures.clear();
  return is_found(facts) && evaluate(subject(facts), captures);
}

/// Adds the compared facts.
void Matcher::want_compared(WantedFacts& wanted) const {
  for (const Test& test : tests_) wanted.add(test.fact, test.argument);
  for (const Matcher& block : any_) block.want_compared(wanted);
  for (const Matcher& block : all_) block.want_compared(wanted);
  for (const Matcher& block : except_) block.want_compared(wanted);
  for (const Matcher& block : ancestors_) block.want_compared(wanted.for_ancestors());
}

/// Adds the facts of variables. They belong to the device itself, also in blocks of `ancestor`.
void Matcher::want_variables(WantedFacts& wanted) const {
  for (const Test& test : tests_) {
    if (test.path) test.path->want(wanted);
    for (const Template* const text : templates_of(test.condition)) text->want(wanted);
  }
  for (const auto* const blocks : {&any_, &all_, &except_, &ancestors_}) {
    for (const Matcher& block : *blocks) block.want_variables(wanted);
  }
}

void Matcher::want(WantedFacts& wanted) const {
  want_compared(wanted);
  want_variables(wanted);
}

void Matcher::want(NodeQuery& query) const {
  const auto add = [](std::vector<std::string>& list, const std::string& text) {
    const auto position = std::ranges::lower_bound(list, text);
    if (position == list.end() || *position != text) list.insert(position, text);
  };
  for (const Test& test : tests_) {
    if (test.fact == Fact::glob) add(query.globs, test.argument);
    if (test.fact == Fact::file) add(query.files, test.argument);
    if (test.fact == Fact::env) add(query.variables, test.argument);
  }
  for (const Matcher& block : any_) block.want(query);
  for (const Matcher& block : all_) block.want(query);
  for (const Matcher& block : except_) block.want(query);
}

void Matcher::add_files(const Subject& subject, std::vector<std::string>& files) const {
  for (const Test& test : tests_) {
    if (!test.path) continue;
    if (auto path = test.path->render({.device = subject.device})) {
      files.push_back(*std::move(path));
    }
  }
  for (const Matcher& block : any_) block.add_files(subject, files);
  for (const Matcher& block : all_) block.add_files(subject, files);
  for (const Matcher& block : except_) block.add_files(subject, files);
}

void Matcher::add_files(const DeviceFacts& facts, std::vector<std::string>& files) const {
  add_files(subject(facts), files);
}

void Matcher::want_files(const DeviceFacts& facts, std::vector<std::string>& files) const {
  if (is_found(facts) && cheap_tests_match(subject(facts), Cost::database)) {
    add_files(facts, files);
  }
}

void Matcher::add_host_references(std::vector<HostReference>& named) const {
  if (kind_ != RuleKind::static_name) {
    for (size_t i = 0; i < patterns_.size(); ++i) {
      named.push_back({Fact::glob, patterns_[i], patterns_at_[i].position});
    }
  }
  for (const Test& test : tests_) {
    if (test.fact != Fact::glob && test.fact != Fact::file && test.fact != Fact::env) continue;
    named.push_back(
        {test.fact, test.argument, test.at.position, test.path ? &*test.path : nullptr});
  }
  for (const auto* blocks : {&any_, &all_, &except_, &ancestors_}) {
    for (const Matcher& block : *blocks) block.add_host_references(named);
  }
}

std::vector<std::string> Matcher::subsystems() const {
  if (kind_ != RuleKind::subsystem || tests_.empty()) return {};
  return tests_.front().condition.fnmatch_cover();
}

std::vector<std::string> Matcher::capture_names() const {
  std::vector<std::string> names;
  for (const Test& test : tests_) {
    for (std::string& name : test.condition.capture_names()) names.push_back(std::move(name));
  }
  for (const auto* blocks : {&any_, &all_, &ancestors_}) {
    for (const Matcher& block : *blocks) {
      for (std::string& name : block.capture_names()) names.push_back(std::move(name));
    }
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

bool Matcher::ensures_device_node() const {
  const auto refuses = [](const Condition& condition, std::span<const std::string_view> values) {
    return !condition.has_variables() && !condition.matches(values);
  };
  return std::ranges::any_of(tests_, [&](const Test& test) {
    if (kind_ != RuleKind::glob) return test.fact == Fact::devnode && refuses(test.condition, {});
    constexpr std::array<std::string_view, 3> kNoNodes{"file", "dir", "socket"};
    return test.fact == Fact::type && refuses(test.condition, {}) &&
           std::ranges::all_of(kNoNodes, [&](const std::string_view& type) {
             return refuses(test.condition, {&type, 1});
           });
  });
}

}  // namespace patchbay::rules
