#include "rules/matcher.h"

#include <algorithm>

namespace patchbay::rules {
namespace {

/// A value that may be absent, as the conditions see it.
std::span<const std::string> one(const std::string& value) {
  return {&value, value.empty() ? size_t{0} : size_t{1}};
}

std::span<const std::string> entry(const NamedValues& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? std::span<const std::string>{} : one(found->second);
}

std::span<const std::string> entry(const ValueLists& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? std::span<const std::string>{} : found->second;
}

/// Whether it costs nothing to read: see HostQuery::wanted.
bool is_free(const VariableRef& ref) {
  switch (ref.variable) {
    case Variable::name:
    case Variable::subsystem:
    case Variable::devtype:
    case Variable::devnode:
    case Variable::syspath:
    case Variable::path:
      return ref.above.empty();
    default:
      return false;
  }
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

Matcher::Subject Matcher::above(const DeviceFacts& facts, const Subject& below) {
  return {facts, below.device, below.undecided};
}

Matcher::Subject Matcher::inverted(const Subject& subject) {
  return {subject.facts, subject.device, opposite(subject.undecided)};
}

Matcher::Field Matcher::cost_of(const Test& test) {
  for (const Template* const text : templates_of(test.condition)) {
    for (const Template::Use& use : text->uses()) {
      if (!is_free(*use.variable)) return std::max(test.field, Field::attribute);
    }
  }
  return test.field;
}

/// Of all but files.
std::span<const std::string> Matcher::values(const Test& test, const DeviceFacts& facts) {
  switch (test.field) {
    case Field::subsystem:
      return one(facts.subsystem);
    case Field::name:
      return one(facts.name);
    case Field::path:
      return facts.kind == DeviceKind::path ? one(facts.key) : std::span<const std::string>{};
    case Field::devtype:
      return one(facts.devtype);
    case Field::devnode:
      return one(facts.devnode);
    case Field::driver:
      return one(facts.driver);
    case Field::iommu_group:
      return one(facts.iommu_group);
    case Field::numa_node:
      return one(facts.numa_node);
    case Field::usb:
      return entry(facts.usb, test.argument);
    case Field::pci:
      return entry(facts.pci, test.argument);
    case Field::tag:
      return facts.tags;
    case Field::link:
      return facts.links;
    case Field::property:
      return entry(facts.properties, test.argument);
    case Field::attribute:
      return entry(facts.attributes, test.argument);
    case Field::file:
      break;
  }
  return {};
}

std::string_view Matcher::found_path(const DeviceFacts& facts) const {
  if (facts.kind == DeviceKind::static_name) {
    const auto found = std::ranges::find(patterns_, facts.name);
    return found == patterns_.end() ? std::string_view{} : *found;
  }
  for (const std::string& pattern : patterns_) {
    const auto found = std::ranges::find(facts.found_by, pattern, &FoundBy::pattern);
    if (found != facts.found_by.end()) return found->path;
  }
  return {};
}

/// Whether the device is of a kind, and was found in a way, that the rule looks at.
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
  }
  return false;
}

Matcher::Outcome Matcher::run(const Test& test, const Subject& subject, Captures* captures) {
  Outcome out;
  if (test.path) {
    out.path = test.path->render({.device = subject.device});
    out.holds = subject.undecided == Undecided::holds;
    if (!*out.path) return out;
    out.values = entry(subject.facts.files, **out.path);
  } else {
    out.values = values(test, subject.facts);
  }
  out.holds = test.condition.has_variables()
                  ? test.condition.filled({.device = subject.device})
                        .holds(out.values, captures, subject.undecided)
                  : test.condition.holds(out.values, captures, subject.undecided);
  return out;
}

/// Those that cost at most as much as `last`.
bool Matcher::cheap_tests_hold(const Subject& subject, Field last) const {
  return std::ranges::all_of(
      tests_, [&](const Test& test) { return test.cost > last || run(test, subject).holds; });
}

bool Matcher::type_holds(const DeviceFacts& facts) const {
  return types_.empty() ||
         (facts.path_type && std::ranges::find(types_, *facts.path_type) != types_.end());
}

bool Matcher::one_above_holds(const Subject& subject, Captures& captures) const {
  return std::ranges::any_of(subject.facts.ancestors, [&](const DeviceFacts& facts) {
    return holds(above(facts, subject), captures);
  });
}

/// Captures of a block count only if all of it holds.
bool Matcher::holds(const Subject& subject, Captures& captures, Mismatches* why) const {
  Captures own;
  bool good = true;
  // Whether that is enough to know.
  const auto fails = [&](const auto& mismatch_of) {
    good = false;
    if (why != nullptr) why->push_back(mismatch_of());
    return why == nullptr;
  };
  const auto fails_with = [&](const Test& test, const Outcome& outcome) {
    return fails([&] { return mismatch(test, subject, outcome); });
  };
  if (!type_holds(subject.facts) && fails([&] { return wrong_type(subject.facts); })) return false;
  for (const Test& test : tests_) {
    const Outcome outcome = run(test, subject, &own);
    if (!outcome.holds && fails_with(test, outcome)) return false;
  }
  for (const Matcher& block : except_) {
    Captures ignored;
    const bool holds = block.holds(inverted(subject), ignored);
    if (holds && fails([&] { return block.excepted(); })) return false;
  }
  for (const Matcher& block : ancestors_) {
    const bool holds = block.one_above_holds(subject, own);
    if (!holds && fails([&] { return block.none_above(subject); })) return false;
  }
  const bool one_holds = any_.empty() || std::ranges::any_of(any_, [&](const Matcher& block) {
                           return block.holds(subject, own);
                         });
  if (!one_holds && fails([&] { return none_of_any(subject); })) return false;
  if (good) captures.merge(own);
  return good;
}

bool Matcher::could_hold(const Subject& cheap) const {
  if (!type_holds(cheap.facts) || !cheap_tests_hold(cheap, Field::devnode)) return false;
  return any_.empty() ||
         std::ranges::any_of(any_, [&](const Matcher& block) { return block.could_hold(cheap); });
}

bool Matcher::could_match(const DeviceFacts& cheap) const {
  return is_found(cheap) && could_hold(subject(cheap));
}

bool Matcher::matches(const DeviceFacts& facts, Captures& captures) const {
  captures.clear();
  return is_found(facts) && holds(subject(facts), captures);
}

/// What is compared.
void Matcher::want_fields(WantedFacts& wanted) const {
  for (const Test& test : tests_) {
    wanted.driver = wanted.driver || test.field == Field::driver;
    wanted.tags = wanted.tags || test.field == Field::tag;
    wanted.links = wanted.links || test.field == Field::link;
    wanted.iommu_group = wanted.iommu_group || test.field == Field::iommu_group;
    wanted.numa_node = wanted.numa_node || test.field == Field::numa_node;
    if (test.field == Field::usb) wanted.usb.push_back(test.argument);
    if (test.field == Field::pci) wanted.pci.push_back(test.argument);
    if (test.field == Field::property) wanted.properties.push_back(test.argument);
    if (test.field == Field::attribute) wanted.attributes.push_back(test.argument);
  }
  for (const Matcher& block : any_) block.want_fields(wanted);
  for (const Matcher& block : except_) block.want_fields(wanted);
  if (!ancestors_.empty() && wanted.above.empty()) wanted.above.emplace_back();
  for (const Matcher& block : ancestors_) block.want_fields(wanted.above.front());
}

/// What it is compared with, which is of the device itself also in blocks of `ancestor`.
void Matcher::want_variables(WantedFacts& wanted) const {
  for (const Test& test : tests_) {
    if (test.path) test.path->want(wanted);
    for (const Template* const text : templates_of(test.condition)) text->want(wanted);
  }
  for (const auto* const blocks : {&any_, &except_, &ancestors_}) {
    for (const Matcher& block : *blocks) block.want_variables(wanted);
  }
}

void Matcher::want(WantedFacts& wanted) const {
  want_fields(wanted);
  want_variables(wanted);
}

void Matcher::add_files(const Subject& subject, std::vector<std::string>& files) const {
  for (const Test& test : tests_) {
    if (!test.path) continue;
    if (auto path = test.path->render({.device = subject.device})) {
      files.push_back(*std::move(path));
    }
  }
  for (const Matcher& block : any_) block.add_files(subject, files);
  for (const Matcher& block : except_) block.add_files(subject, files);
}

void Matcher::add_files(const DeviceFacts& facts, std::vector<std::string>& files) const {
  add_files(subject(facts), files);
}

void Matcher::want_files(const DeviceFacts& facts, std::vector<std::string>& files) const {
  if (is_found(facts) && type_holds(facts) && cheap_tests_hold(subject(facts), Field::attribute)) {
    add_files(facts, files);
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
  for (const auto* blocks : {&any_, &ancestors_}) {
    for (const Matcher& block : *blocks) {
      for (std::string& name : block.capture_names()) names.push_back(std::move(name));
    }
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

}  // namespace patchbay::rules
