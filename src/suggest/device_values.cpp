#include "suggest/device_values.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/text.h"
#include "host/facts/device_list.h"
#include "suggest/candidates.h"
#include "suggest/kinds.h"

namespace patchbay::suggest {
namespace {

constexpr size_t kMostValueBytes = 200;

/// Facts that proposals use for every kind.
constexpr std::array<std::string_view, 16> kAlways{"usb.interface",
                                                   "driver",
                                                   "property.ID_VENDOR",
                                                   "property.ID_MODEL",
                                                   "property.ID_VENDOR_FROM_DATABASE",
                                                   "property.ID_MODEL_FROM_DATABASE",
                                                   "property.ID_FS_USAGE",
                                                   "property.ID_FS_TYPE",
                                                   "property.ID_PART_TABLE_TYPE",
                                                   "property.ID_PART_ENTRY_TYPE",
                                                   "property.USEC_INITIALIZED",
                                                   "property.ID_INPUT_KEYBOARD",
                                                   "property.ID_INPUT_MOUSE",
                                                   "property.ID_INPUT_TOUCHPAD",
                                                   "property.ID_INPUT_TOUCHSCREEN",
                                                   "link"};

struct Variable {
  Fact fact = Fact::name;
  std::string argument;
  std::string
      above;  ///< Subsystem of the device above that has the fact. Empty: the device itself.
};

std::optional<Variable> parse(std::string_view variable) {
  constexpr std::string_view kAbove = "ancestor.";
  std::string above;
  if (variable.starts_with(kAbove)) {
    variable.remove_prefix(kAbove.size());
    above = variable.substr(0, variable.find('.'));
    variable.remove_prefix(std::min(above.size() + 1, variable.size()));
  }
  const size_t dot = std::min(variable.find('.'), variable.size());
  const FactInfo* const fact = find_fact(variable.substr(0, dot));
  if (fact == nullptr) return std::nullopt;
  const std::string_view argument = dot == variable.size() ? "" : variable.substr(dot + 1);
  return Variable{fact->fact, std::string(argument), std::move(above)};
}

bool is_hex(std::string_view text) {
  return text.find_first_not_of(kHexDigits) == std::string_view::npos;
}

/// Whether a rule can have the value of an id, an address or a socket. Other texts are free.
bool has_shape_of(const Variable& variable, std::string_view value) {
  if (variable.fact != Fact::usb && variable.fact != Fact::pci) return true;
  if (variable.argument == "serial") return true;
  if (variable.argument == "interface") return value.size() == 2 && is_hex(value);
  const FactField* const field = find_field(info(variable.fact), variable.argument);
  if (field != nullptr && field->is_id) return is_hex(value);
  return std::ranges::all_of(
      value, [](char c) { return is_alphanumeric(c) || std::string_view(":.-_").contains(c); });
}

void add(std::string_view variable, WantedFacts& wanted) {
  const auto parsed = parse(variable);
  if (!parsed) return;
  WantedFacts& of = parsed->above.empty() ? wanted : wanted.for_ancestors();
  of.add(parsed->fact, parsed->fact == Fact::link ? "" : parsed->argument);
}

/// Whether the kind can have a device of that subsystem.
bool may_have(const Kind& kind, const std::string& subsystem) {
  const config::YamlNode* const match = config::value_of(kind.rule, "match");
  const std::string only = match == nullptr ? "" : config::text_of(*match, "subsystem");
  return only.empty() || only == subsystem;
}

/// The facts that proposals use of a device of that subsystem.
WantedFacts wanted_facts(const std::string& subsystem) {
  WantedFacts wanted{.relevant = true};
  const auto add_kind = [&](const Kind& kind) {
    for (const auto* lists : {&kind.like, &kind.one}) {
      for (const auto& list : *lists) {
        for (const std::string& variable : list) add(variable, wanted);
      }
    }
  };
  for (const std::string_view variable : kAlways) add(variable, wanted);
  for (const KindPtr& kind : kinds()) {
    if (may_have(*kind, subsystem)) add_kind(*kind);
  }
  for (const KindPtr& owner : owners()) add_kind(*owner);
  return wanted;
}

/// The links of all devices with a node, and how many devices have each.
std::map<std::string, int> count_links(const paths::HostRoot& root) {
  const auto query = std::make_shared<HostQuery>();
  query->databases = true;
  query->wanted = [](const DeviceFacts& cheap) {
    WantedFacts wanted{.relevant = !cheap.devnode.empty()};
    wanted.add(Fact::link);
    return wanted;
  };
  query->subsystems = {"*"};
  host::FactReader reader(query, root);
  std::map<std::string, int> links;
  for (const std::string& device : host::list_kernel_devices(host::DeviceTree(root), {"*"})) {
    const DeviceFactsPtr facts = reader.read({.key = device}).facts;
    if (facts == nullptr) continue;
    for (const std::string_view link : values_of(*facts, Fact::link).all()) {
      ++links[std::string(link)];
    }
  }
  return links;
}

}  // namespace

DeviceReader::DeviceReader(const paths::HostRoot& root) : root_(root), reader_(query(), root) {}

bool DeviceReader::is_only_target(const DeviceFacts& device, const std::string& link) {
  if (!links_) links_ = count_links(root_);
  const auto count = links_->find(link);
  return count != links_->end() && count->second == 1 && number_of(root_, link) == device.number;
}

HostQueryPtr DeviceReader::query() {
  const auto query = std::make_shared<HostQuery>();
  query->databases = true;
  query->wanted = [this](const DeviceFacts& cheap) {
    const auto [found, is_new] = wanted_.try_emplace(cheap.subsystem);
    if (is_new) found->second = wanted_facts(cheap.subsystem);
    return found->second;
  };
  return query;
}

DeviceFactsPtr DeviceReader::read(const std::string& syspath) {
  const auto known = known_.find(syspath);
  if (known != known_.end()) return known->second;
  auto facts = reader_.read({.key = syspath, .ignore_rules = true}).facts;
  return known_.emplace(syspath, std::move(facts)).first->second;
}

std::optional<std::string> value_of(const DeviceFacts& device, std::string_view variable) {
  const auto parsed = parse(variable);
  if (!parsed) return std::nullopt;
  // The PCI function above a USB device is its controller, which others share.
  if (parsed->fact == Fact::pci && device.key.contains("/usb")) return std::nullopt;
  if (!parsed->above.empty()) {
    const auto above = std::ranges::find(device.ancestors, parsed->above, &DeviceFacts::subsystem);
    if (above == device.ancestors.end()) return std::nullopt;
    return value_of(*above, variable.substr(variable.rfind('.') + 1));
  }
  std::string value;
  if (parsed->fact == Fact::link) {
    const std::string directory = "/" + parsed->argument + "/";
    for (const std::string_view link : values_of(device, Fact::link).all()) {
      if (value.empty() && link.contains(directory)) value = link;
    }
  } else {
    value = values_of(device, parsed->fact, parsed->argument).only();
  }
  if (!has_shape_of(*parsed, value)) return std::nullopt;
  if (value.empty() || value.size() > kMostValueBytes || !is_utf8(value) ||
      printable(value, kMostValueBytes) != value) {
    return std::nullopt;
  }
  return value;
}

}  // namespace patchbay::suggest
