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

std::span<const std::string> file_content(const Template& path, const DeviceFacts& facts) {
  const auto rendered = path.render({.device = {.facts = &facts}});
  if (!rendered) return {};
  return entry(facts.files, *rendered);
}

}  // namespace

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
      return file_content(*test.path, facts);
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

bool Matcher::test_holds(const Test& test, const DeviceFacts& facts, Captures* captures,
                         Pathless pathless) {
  if (test.field == Field::file && !test.path->render({.device = {.facts = &facts}})) {
    return pathless == Pathless::holds;
  }
  return test.condition.holds(values(test, facts), captures);
}

bool Matcher::tests_hold(const DeviceFacts& facts, Field last, Captures* captures,
                         Pathless pathless) const {
  for (const Test& test : tests_) {
    if (test.field > last) return true;
    if (!test_holds(test, facts, captures, pathless)) return false;
  }
  return true;
}

bool Matcher::type_holds(const DeviceFacts& facts) const {
  return types_.empty() ||
         (facts.path_type && std::ranges::find(types_, *facts.path_type) != types_.end());
}

/// Captures of a block count only if all of it holds.
bool Matcher::holds(const DeviceFacts& facts, Captures& captures, Pathless pathless) const {
  if (!type_holds(facts) || !tests_hold(facts, Field::file, &captures, pathless)) return false;
  const auto holds_of = [&](const Matcher& block, const DeviceFacts& device) {
    Captures own;
    if (!block.holds(device, own, pathless)) return false;
    captures.merge(own);
    return true;
  };
  const auto excepts = [&](const Matcher& block) {
    Captures ignored;
    return block.holds(facts, ignored, opposite(pathless));
  };
  if (std::ranges::any_of(except_, excepts)) return false;
  const auto holds_above = [&](const Matcher& block) {
    return std::ranges::any_of(facts.ancestors,
                               [&](const DeviceFacts& above) { return holds_of(block, above); });
  };
  if (!std::ranges::all_of(ancestors_, holds_above)) return false;
  return any_.empty() ||
         std::ranges::any_of(any_, [&](const Matcher& block) { return holds_of(block, facts); });
}

bool Matcher::could_hold(const DeviceFacts& cheap) const {
  if (!type_holds(cheap) || !tests_hold(cheap, Field::devnode, nullptr)) return false;
  return any_.empty() ||
         std::ranges::any_of(any_, [&](const Matcher& block) { return block.could_hold(cheap); });
}

bool Matcher::could_match(const DeviceFacts& cheap) const {
  return is_found(cheap) && could_hold(cheap);
}

bool Matcher::matches(const DeviceFacts& facts, Captures& captures) const {
  captures.clear();
  if (is_found(facts) && holds(facts, captures)) return true;
  captures.clear();
  return false;
}

void Matcher::want(WantedFacts& wanted) const {
  for (const Test& test : tests_) {
    if (test.path) test.path->want(wanted);
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
  for (const Matcher& block : any_) block.want(wanted);
  for (const Matcher& block : except_) block.want(wanted);
  if (!ancestors_.empty() && wanted.above.empty()) wanted.above.emplace_back();
  for (const Matcher& block : ancestors_) block.want(wanted.above.front());
}

void Matcher::add_files(const DeviceFacts& facts, std::vector<std::string>& files) const {
  for (const Test& test : tests_) {
    if (test.field != Field::file) continue;
    if (auto path = test.path->render({.device = {.facts = &facts}})) {
      files.push_back(*std::move(path));
    }
  }
  for (const Matcher& block : any_) block.add_files(facts, files);
  for (const Matcher& block : except_) block.add_files(facts, files);
}

void Matcher::want_files(const DeviceFacts& facts, std::vector<std::string>& files) const {
  if (is_found(facts) && type_holds(facts) && tests_hold(facts, Field::attribute, nullptr)) {
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
