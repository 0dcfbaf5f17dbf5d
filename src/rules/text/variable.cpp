#include "rules/text/variable.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::rules {
namespace {

/// A variable of rules of any kind, known from this stage on.
VariableInfo of_all(std::string_view word, Variable variable,
                    RenderStage known_from = RenderStage::grouping) {
  return {.word = word, .variable = variable, .known_in = kUnitRules, .known_from = known_from};
}

VariableInfo named(VariableInfo variable, std::string_view example) {
  variable.has_argument = true;
  variable.example = example;
  return variable;
}

/// The variables of devices are their facts.
std::vector<VariableInfo> make_table() {
  std::vector<VariableInfo> table;
  for (const FactInfo& fact : all_facts()) {
    if (fact.variable_in.empty()) continue;
    table.push_back({.word = fact.word,
                     .fact = fact.fact,
                     .known_in = fact.variable_in,
                     .has_argument = fact.has_argument || fact.variable_by_name,
                     .whole_path = fact.begins_path,
                     .example = fact.example_name});
  }
  table.push_back(
      named({.word = "ancestor", .variable = Variable::ancestor, .known_in = kDeviceRules},
            "usb.attribute.serial"));
  table.push_back(named(of_all("capture", Variable::capture), "port"));
  table.push_back(of_all("by", Variable::by, RenderStage::identity));
  table.push_back(of_all("id", Variable::id, RenderStage::sharing));
  table.push_back(of_all("resource", Variable::resource));
  table.push_back(of_all("node", Variable::node));
  for (const auto& [word, variable] : {std::pair("unit", Variable::unit),
                                       {"slot", Variable::slot},
                                       {"share", Variable::share},
                                       {"shares", Variable::shares},
                                       {"claim", Variable::claim},
                                       {"request", Variable::request}}) {
    table.push_back(of_all(word, variable, RenderStage::allocation));
  }
  return table;
}

const std::vector<VariableInfo>& variables() {
  static const std::vector<VariableInfo> table = make_table();
  return table;
}

/// The first link in a directory with this name.
std::string_view link_in(std::span<const std::string_view> links, std::string_view directory) {
  for (const std::string_view link : links) {
    const size_t slash = link.rfind('/');
    if (slash != std::string::npos && slash > 0 && base_name(link.substr(0, slash)) == directory) {
      return link;
    }
  }
  return {};
}

std::string_view device_value(const VariableRef& ref, const DeviceFacts& device) {
  if (ref.fact == Fact::link) return link_in(device.known.of(Fact::link), ref.argument);
  return values_of(device, ref.fact, ref.argument).only();
}

/// The device itself, or the ancestor that the variable names. Null if there is none.
const DeviceFacts* referenced_device(const VariableRef& ref, const DeviceFacts& device) {
  if (ref.above.empty()) return &device;
  const auto found = std::ranges::find(device.ancestors, ref.above, &DeviceFacts::subsystem);
  return found == device.ancestors.end() ? nullptr : &*found;
}

/// The matched device, or the first device of the named member.
DeviceScope referenced_entity(const VariableRef& ref, const RenderScope& scope) {
  if (ref.member.empty()) return scope.device;
  const auto member = std::ranges::find(scope.members, ref.member, &MemberScope::name);
  return member == scope.members.end() ? DeviceScope{} : member->device;
}

std::string_view value_in(const VariableRef& ref, const DeviceScope& device) {
  if (device.facts == nullptr) return {};
  if (ref.variable == Variable::capture) {
    if (device.captures == nullptr) return {};
    const auto found = device.captures->find(ref.argument);
    return found == device.captures->end() ? std::string_view{} : found->second;
  }
  if (ref.is(Fact::path) && ref.above.empty()) return device.path;
  const DeviceFacts* const meant = referenced_device(ref, *device.facts);
  return meant == nullptr ? std::string_view{} : device_value(ref, *meant);
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
    case Variable::share:
      return number_or_empty(scope.share);
    case Variable::shares:
      return scope.shares == 0 ? std::string{} : std::to_string(scope.shares);
    case Variable::claim:
      return std::string(scope.claim);
    case Variable::request:
      return std::string(scope.request);
    default:
      return std::string(value_in(ref, referenced_entity(ref, scope)));
  }
}

}  // namespace

bool VariableRef::of_device() const { return info(*this).of_device(); }

std::string VariableRef::to_text() const {
  const std::string_view word = info(*this).word;
  const std::string in = member.empty() ? "" : member + '.';
  const std::string from = above.empty() ? "" : fmt::format("ancestor.{}.", above);
  return fmt::format("$({}{}{}{}{})", in, from, word, argument.empty() ? "" : ".", argument);
}

std::span<const FactField> VariableInfo::arguments() const {
  return variable == Variable::fact ? info(fact).fields : std::span<const FactField>{};
}

bool VariableInfo::of_device() const {
  return variable == Variable::fact || variable == Variable::ancestor ||
         variable == Variable::capture;
}

bool VariableInfo::of_pod() const {
  return variable == Variable::claim || variable == Variable::request;
}

bool VariableInfo::of_ancestors() const { return variable == Variable::fact && fact != Fact::path; }

const VariableInfo& info(const VariableRef& ref) {
  return *std::ranges::find_if(variables(), [&](const VariableInfo& variable) {
    return variable.variable == ref.variable &&
           (ref.variable != Variable::fact || variable.fact == ref.fact);
  });
}

const VariableInfo* find_variable(std::string_view word) {
  const auto found = std::ranges::find(variables(), word, &VariableInfo::word);
  return found == variables().end() ? nullptr : &*found;
}

std::vector<std::string_view> variable_words(RuleKind kind) {
  std::vector<std::string_view> words;
  for (const VariableInfo& variable : variables()) {
    if (variable.known_in.contains(kind)) words.push_back(variable.word);
  }
  return words;
}

std::optional<std::string> value_of(const VariableRef& ref, const RenderScope& scope) {
  std::string value = raw_value(ref, scope);
  if (value.empty()) return std::nullopt;
  return value;
}

bool has_several(const VariableRef& ref, const RenderScope& scope) {
  if (!ref.is(Fact::attribute)) return false;
  const DeviceScope entity = referenced_entity(ref, scope);
  const DeviceFacts* const device =
      entity.facts == nullptr ? nullptr : referenced_device(ref, *entity.facts);
  return device != nullptr && device->known.of(Fact::attribute, ref.argument).size() > 1;
}

bool differs_per_device(const VariableRef& ref, bool read) {
  switch (ref.variable) {
    case Variable::by:
    case Variable::id:
    case Variable::share:
      return true;
    case Variable::capture:
      return read;
    case Variable::fact:
      break;
    default:
      return false;
  }
  switch (ref.fact) {
    case Fact::name:
    case Fact::devnode:
    case Fact::syspath:
    case Fact::path:
    case Fact::link:
      // Several devices can be below one ancestor.
      return ref.above.empty();
    case Fact::usb:
      return ref.argument == "serial" || ref.argument == "socket";
    case Fact::pci:
      return ref.argument == "address" || ref.argument == "vf";
    case Fact::attribute:
    case Fact::property:
      return read;
    default:
      return false;
  }
}

}  // namespace patchbay::rules
