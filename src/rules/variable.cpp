#include "rules/variable.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::rules {
namespace {

/// Of a device of the kernel or a directory under /sys.
constexpr VariableInfo of_devices(std::string_view word, Variable variable) {
  return {.word = word, .variable = variable};
}

constexpr VariableInfo named(VariableInfo variable) {
  variable.has_argument = true;
  return variable;
}

constexpr VariableInfo whole_path(VariableInfo variable) {
  variable.whole_path = true;
  return variable;
}

/// Of whatever a rule looks at, once that much is known.
constexpr VariableInfo of_all(std::string_view word, Variable variable,
                              Moment known_from = Moment::grouping) {
  return {.word = word,
          .variable = variable,
          .of_glob = true,
          .of_static = true,
          .known_from = known_from};
}

constexpr std::array kVariables{
    of_all("name", Variable::name, Moment::matching),
    of_devices("subsystem", Variable::subsystem),
    of_devices("devtype", Variable::devtype),
    whole_path(of_devices("devnode", Variable::devnode)),
    of_devices("driver", Variable::driver),
    of_devices("numaNode", Variable::numa_node),
    of_devices("iommuGroup", Variable::iommu_group),
    named(of_devices("usb", Variable::usb)),
    named(of_devices("pci", Variable::pci)),
    named(of_devices("attribute", Variable::attribute)),
    named(of_devices("property", Variable::property)),
    whole_path(of_devices("syspath", Variable::syspath)),
    VariableInfo{.word = "path",
                 .variable = Variable::path,
                 .whole_path = true,
                 .of_subsystem = false,
                 .of_glob = true},
    whole_path(named(of_devices("link", Variable::link))),
    named(of_devices("ancestor", Variable::ancestor)),
    named(of_all("capture", Variable::capture)),
    of_all("by", Variable::by, Moment::identity),
    of_all("id", Variable::id, Moment::sharing),
    of_all("resource", Variable::resource),
    of_all("node", Variable::node),
    of_all("unit", Variable::unit, Moment::allocation),
    of_all("slot", Variable::slot, Moment::allocation),
    of_all("replica", Variable::replica, Moment::allocation),
    of_all("taken", Variable::taken, Moment::allocation),
};

std::string text_or_empty(const NamedValues* values, const std::string& key) {
  if (values == nullptr) return {};
  const auto found = values->find(key);
  return found == values->end() ? std::string{} : found->second;
}

std::span<const std::string> values_or_none(const ValueLists& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? std::span<const std::string>{} : found->second;
}

/// Of several values none is the one that is meant.
std::string only_or_empty(std::span<const std::string> values) {
  return values.size() == 1 ? values.front() : std::string{};
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
      return only_or_empty(values_or_none(device.attributes, ref.argument));
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

/// The device itself, or the one above it that is meant; null if there is none.
const DeviceFacts* meant_device(const VariableRef& ref, const DeviceFacts& device) {
  if (ref.above.empty()) return &device;
  const auto found = std::ranges::find(device.ancestors, ref.above, &DeviceFacts::subsystem);
  return found == device.ancestors.end() ? nullptr : &*found;
}

/// The matched device, or the first of the member that is meant.
DeviceScope meant_thing(const VariableRef& ref, const RenderScope& scope) {
  if (ref.member.empty()) return scope.device;
  const auto member = std::ranges::find(scope.members, ref.member, &MemberScope::name);
  return member == scope.members.end() ? DeviceScope{} : member->device;
}

std::string value_in(const VariableRef& ref, const DeviceScope& device) {
  if (device.facts == nullptr) return {};
  if (!ref.above.empty()) {
    const DeviceFacts* const above = meant_device(ref, *device.facts);
    return above == nullptr ? std::string{} : device_value(ref, *above);
  }
  if (ref.variable == Variable::path) return std::string(device.path);
  if (ref.variable == Variable::capture) return text_or_empty(device.captures, ref.argument);
  return device_value(ref, *device.facts);
}

std::string number_or_empty(std::optional<size_t> number) {
  return number ? std::to_string(*number) : std::string{};
}

std::string raw_value(const VariableRef& ref, const RenderScope& scope) {
  switch (ref.variable) {
    case Variable::by:
      return std::string(scope.by);
    case Variable::id:
      return std::string(scope.id);
    case Variable::resource:
      return std::string(scope.resource);
    case Variable::node:
      return std::string(scope.node);
    case Variable::unit:
      return std::to_string(scope.unit);
    case Variable::slot:
      return std::to_string(scope.slot);
    case Variable::replica:
      return number_or_empty(scope.replica);
    case Variable::taken:
      return scope.taken == 0 ? std::string{} : std::to_string(scope.taken);
    default:
      return value_in(ref, meant_thing(ref, scope));
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
    case RuleKind::static_name:
      return "static";
  }
  return "";
}

bool VariableRef::of_device() const { return info(variable).of_device(); }

std::string VariableRef::to_text() const {
  const std::string_view word = info(variable).word;
  const std::string in = member.empty() ? "" : member + '.';
  const std::string from = above.empty() ? "" : fmt::format("ancestor.{}.", above);
  return fmt::format("$({}{}{}{}{})", in, from, word, argument.empty() ? "" : ".", argument);
}

bool VariableInfo::of_device() const {
  switch (variable) {
    case Variable::by:
    case Variable::id:
    case Variable::resource:
    case Variable::node:
    case Variable::unit:
    case Variable::slot:
    case Variable::replica:
    case Variable::taken:
      return false;
    default:
      return true;
  }
}

bool VariableInfo::of_ancestors() const {
  return of_device() && variable != Variable::path && variable != Variable::ancestor &&
         variable != Variable::capture;
}

bool VariableInfo::known_in(RuleKind kind) const {
  switch (kind) {
    case RuleKind::subsystem:
      return of_subsystem;
    case RuleKind::sysfs:
      return of_sysfs;
    case RuleKind::glob:
      return of_glob;
    case RuleKind::static_name:
      return of_static;
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

bool has_several(const VariableRef& ref, const RenderScope& scope) {
  if (ref.variable != Variable::attribute) return false;
  const DeviceScope thing = meant_thing(ref, scope);
  const DeviceFacts* const device =
      thing.facts == nullptr ? nullptr : meant_device(ref, *thing.facts);
  return device != nullptr && values_or_none(device->attributes, ref.argument).size() > 1;
}

}  // namespace patchbay::rules
