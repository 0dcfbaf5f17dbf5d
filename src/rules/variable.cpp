#include "rules/variable.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::rules {
namespace {

constexpr std::array kVariables{
    VariableInfo{.word = "name", .variable = Variable::name, .of_glob = true},
    VariableInfo{.word = "subsystem", .variable = Variable::subsystem},
    VariableInfo{.word = "devtype", .variable = Variable::devtype},
    VariableInfo{.word = "devnode", .variable = Variable::devnode, .whole_path = true},
    VariableInfo{.word = "driver", .variable = Variable::driver},
    VariableInfo{.word = "numaNode", .variable = Variable::numa_node},
    VariableInfo{.word = "iommuGroup", .variable = Variable::iommu_group},
    VariableInfo{.word = "usb", .variable = Variable::usb, .has_argument = true},
    VariableInfo{.word = "pci", .variable = Variable::pci, .has_argument = true},
    VariableInfo{.word = "attribute", .variable = Variable::attribute, .has_argument = true},
    VariableInfo{.word = "property", .variable = Variable::property, .has_argument = true},
    VariableInfo{.word = "syspath", .variable = Variable::syspath, .whole_path = true},
    VariableInfo{.word = "path",
                 .variable = Variable::path,
                 .whole_path = true,
                 .of_subsystem = false,
                 .of_glob = true},
    VariableInfo{
        .word = "link", .variable = Variable::link, .has_argument = true, .whole_path = true},
    VariableInfo{.word = "ancestor", .variable = Variable::ancestor, .has_argument = true},
    VariableInfo{
        .word = "capture", .variable = Variable::capture, .has_argument = true, .of_glob = true},
    VariableInfo{.word = "id", .variable = Variable::id, .of_glob = true},
    VariableInfo{.word = "resource", .variable = Variable::resource, .of_glob = true},
    VariableInfo{.word = "node", .variable = Variable::node, .of_glob = true},
    VariableInfo{.word = "slot", .variable = Variable::slot, .of_glob = true},
};

std::string text_or_empty(const NamedValues* values, const std::string& key) {
  if (values == nullptr) return {};
  const auto found = values->find(key);
  return found == values->end() ? std::string{} : found->second;
}

/// The first link whose directory has that name.
std::string link_in(const std::vector<std::string>& links, std::string_view directory) {
  for (const std::string& link : links) {
    const size_t slash = link.rfind('/');
    if (slash != std::string::npos && slash > 0 &&
        last_part(std::string_view(link).substr(0, slash)) == directory) {
      return link;
    }
  }
  return {};
}

std::string device_value(const VariableRef& ref, const DeviceFacts& device) {
  switch (ref.variable) {
    case Variable::name:
      return device.name;
    case Variable::subsystem:
      return device.subsystem;
    case Variable::devtype:
      return device.devtype;
    case Variable::devnode:
      return device.devnode;
    case Variable::driver:
      return device.driver;
    case Variable::numa_node:
      return device.numa_node;
    case Variable::iommu_group:
      return device.iommu_group;
    case Variable::usb:
      return text_or_empty(&device.usb, ref.argument);
    case Variable::pci:
      return text_or_empty(&device.pci, ref.argument);
    case Variable::attribute:
      return text_or_empty(&device.attributes, ref.argument);
    case Variable::property:
      return text_or_empty(&device.properties, ref.argument);
    case Variable::syspath:
      return device.syspath;
    case Variable::link:
      return link_in(device.links, ref.argument);
    default:
      return {};
  }
}

std::string value_above(const VariableRef& ref, const DeviceFacts& device) {
  const auto found = std::ranges::find(device.ancestors, ref.above, &DeviceFacts::subsystem);
  return found == device.ancestors.end() ? std::string{} : device_value(ref, *found);
}

std::string raw_value(const VariableRef& ref, const RenderScope& scope) {
  switch (ref.variable) {
    case Variable::path:
      return std::string(scope.path);
    case Variable::capture:
      return text_or_empty(scope.captures, ref.argument);
    case Variable::id:
      return std::string(scope.id);
    case Variable::resource:
      return std::string(scope.resource);
    case Variable::node:
      return std::string(scope.node);
    case Variable::slot:
      return std::to_string(scope.slot);
    default:
      if (scope.device == nullptr) return {};
      return ref.above.empty() ? device_value(ref, *scope.device) : value_above(ref, *scope.device);
  }
}

}  // namespace

std::string_view rule_word(RuleKind kind) {
  switch (kind) {
    case RuleKind::subsystem:
      return "subsystem";
    case RuleKind::sysfs:
      return "sysfs";
    case RuleKind::glob:
      return "glob";
  }
  return "";
}

std::string VariableRef::to_text() const {
  const std::string_view word = info(variable).word;
  const std::string from = above.empty() ? "" : fmt::format("ancestor.{}.", above);
  return fmt::format("$({}{}{}{})", from, word, argument.empty() ? "" : ".", argument);
}

bool VariableInfo::of_ancestors() const {
  switch (variable) {
    case Variable::path:
    case Variable::ancestor:
    case Variable::capture:
    case Variable::id:
    case Variable::resource:
    case Variable::node:
    case Variable::slot:
      return false;
    default:
      return true;
  }
}

bool VariableInfo::known_in(RuleKind kind) const {
  switch (kind) {
    case RuleKind::subsystem:
      return of_subsystem;
    case RuleKind::sysfs:
      return of_sysfs;
    case RuleKind::glob:
      return of_glob;
  }
  return false;
}

const VariableInfo& info(Variable variable) {
  return *std::ranges::find(kVariables, variable, &VariableInfo::variable);
}

const VariableInfo* find_variable(std::string_view word) {
  const auto* const found = std::ranges::find(kVariables, word, &VariableInfo::word);
  return found == kVariables.end() ? nullptr : found;
}

std::vector<std::string_view> variable_words(RuleKind kind) {
  std::vector<std::string_view> words;
  for (const VariableInfo& variable : kVariables) {
    if (variable.known_in(kind)) words.push_back(variable.word);
  }
  return words;
}

std::optional<std::string> value_of(const VariableRef& ref, const RenderScope& scope) {
  std::string value = raw_value(ref, scope);
  if (value.empty()) return std::nullopt;
  return value;
}

}  // namespace patchbay::rules
