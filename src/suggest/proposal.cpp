#include "suggest/proposal.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "config/yaml_writer.h"
#include "rules/text/qualified_name.h"
#include "suggest/device_values.h"
#include "suggest/title.h"

namespace patchbay::suggest {
namespace {

using config::YamlEntry;
using config::YamlNode;

/// A condition of a rule: the variable and the value that it must have.
struct Condition {
  std::string variable;
  std::string value;
  friend bool operator==(const Condition&, const Condition&) = default;
};
using Conditions = std::vector<Condition>;

/// A kind of ids, and how long they stay the same.
struct IdComment {
  std::string_view variable;
  std::string_view what;
  std::string_view lasts;
};
constexpr std::string_view kNeverChanges = "it never changes";
constexpr std::string_view kLikeSerial = "a replug and a reboot do not change it";
constexpr std::string_view kLikeName = "it can change at a replug and at a reboot";
constexpr std::array kIdComments{
    IdComment{"usb.serial", "the serial number", kLikeSerial},
    IdComment{"disk serial", "the serial number", kLikeSerial},
    IdComment{"capture.uuid", "the UUID of the GPU", kNeverChanges},
    IdComment{"property.ID_PART_ENTRY_UUID", "the UUID of the partition", kNeverChanges},
    IdComment{"capture.place", "the path in the device tree", "a reboot does not change it"},
    IdComment{"usb.socket", "the USB socket", "it changes if the device is moved to another one"},
    IdComment{"pci.rootPort", "the slot", "it changes if the card is moved to another one"},
    IdComment{"pci.address", "the PCI address",
              "it changes if the device is moved to another slot or port"},
    IdComment{"fpga_region", "the kernel's name", "it can change at a reboot"},
    IdComment{"kernel name", "the kernel's name", kLikeName},
    IdComment{"name", "the kernel's name", kLikeName},
};

/// `pci` and `vendor` of `pci.vendor`. The second is empty for `name`.
std::pair<std::string_view, std::string_view> split_variable(std::string_view variable) {
  const size_t dot = variable.find('.');
  if (dot == std::string_view::npos) return {variable, ""};
  return {variable.substr(0, dot), variable.substr(dot + 1)};
}

/// The value of the variable in a match, which is added if it is absent.
YamlNode& value_at(std::string_view variable, YamlNode& match) {
  const auto [key, field] = split_variable(variable);
  YamlNode& value = value_in(match, key);
  return field.empty() ? value : value_in(value, field);
}

/// Adds the condition to a match, in place of another one on the same fact.
void add(const Condition& condition, YamlNode& match) {
  value_at(condition.variable, match) = exact_text(condition.value);
}

std::optional<Conditions> conditions_on(const std::vector<std::string>& variables,
                                        const DeviceFacts& device) {
  Conditions conditions;
  for (const std::string& variable : variables) {
    auto value = value_of(device, variable);
    if (!value) return std::nullopt;
    conditions.push_back({variable, *std::move(value)});
  }
  return conditions;
}

/// The conditions that all devices of the model meet. Empty: the kind is not narrowed.
Conditions model_conditions(const Kind& kind, const DeviceFacts& device) {
  for (const auto& variables : kind.like) {
    if (auto conditions = conditions_on(variables, device)) return *std::move(conditions);
  }
  return {};
}

/// The condition that identifies the device among `others`.
std::optional<Condition> own_condition(const Kind& kind, const DeviceFacts& device,
                                       std::span<const DeviceFactsPtr> others) {
  for (const std::string& variable : kind.one) {
    auto value = value_of(device, variable);
    if (!value) continue;
    const bool shared = std::ranges::any_of(
        others, [&](const auto& other) { return value_of(*other, variable) == value; });
    if (!shared) return Condition{variable, *std::move(value)};
  }
  return std::nullopt;
}

/// The value of the variable in a match. Null: it has none.
const YamlNode* find_value(const YamlNode& match, std::string_view variable) {
  const auto [key, field] = split_variable(variable);
  const YamlNode* const value = config::value_of(match, key);
  return value == nullptr || field.empty() ? value : config::value_of(*value, field);
}

/// The value in one line.
std::string text_of(const YamlNode& value) {
  const std::string text = write_yaml(config::yaml_mapping({{"value", value}}), {.width = 1000});
  return std::string(trim_end(text.substr(text.find(' ') + 1)));
}

/// "serial: A10KZP01 to usb", if `match` has `usb`; else "usb: {serial: A10KZP01}".
std::string text_of(std::string_view variable, const YamlNode& value, const YamlNode& match,
                    std::string_view preposition) {
  const auto [key, field] = split_variable(variable);
  const bool in_mapping = !field.empty() && config::value_of(match, key) != nullptr;
  YamlNode entry = config::yaml_mapping({});
  YamlNode& outer = value_in(entry, in_mapping ? field : key);
  (in_mapping || field.empty() ? outer : value_in(outer, field)) = value;
  std::string text = write_yaml(entry, {.width = 1000});
  text.pop_back();
  return in_mapping ? fmt::format("{} {} {}", text, preposition, key) : text;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Host paths of `devices`: a link instead of the node.
void use_link(const std::string& directory, YamlNode& resource) {
  const std::string link = "$(link." + directory + ")";
  for (YamlNode& item : value_in(resource, "devices").items) {
    std::string& path =
        item.kind == YamlNode::Kind::scalar ? item.text : value_in(item, "hostPath").text;
    if (!path.contains("$(devnode)")) continue;
    replace_all(path, "$(devnode)", link);
    item.comment = directory == "by-path" ? "the link of this socket or slot"
                                          : "a replug changes the node, not the link";
  }
}

/// The first key after those of the match. A comment on a default id is above it.
std::string_view key_after_match(const YamlNode& resource) {
  constexpr std::array<std::string_view, 6> kBefore{"name",  "match",   "by",
                                                    "count", "members", "claim"};
  for (const YamlEntry& entry : resource.entries) {
    if (std::ranges::find(kBefore, entry.key.value) == kBefore.end()) return entry.key.value;
  }
  return "match";
}

class Maker {
 public:
  Maker(const CandidatePtr& candidate, const ProposalOptions& options)
      : kind_(*candidate->kind), options_(options) {
    proposal_.candidate = candidate;
    proposal_.resource = kind_.rule;
    const std::string name =
        options.name.empty() ? config::text_of(kind_.rule, "name") : options.name;
    proposal_.name = options.domain + '/' + name;
    value_in(proposal_.resource, "name") = config::yaml_text(proposal_.name);
  }

  Proposal run(std::span<const CandidatePtr> all, DeviceReader& reader) {
    device_ = reader.read(proposal_.candidate->matched.front()->key);
    if (device_ == nullptr) return std::move(proposal_);  // A path: the kind's rule names it.
    proposal_.device = device_;
    proposal_.model = model_of(*device_);
    model_ = model_conditions(kind_, *device_);
    find_others(all, reader);
    own_ = own_condition(kind_, *device_, same_model_);
    proposal_.only_this = own_ && (options_.this_one || is_in_model(*own_));
    narrow();
    choose_link();
    choose_id();
    return std::move(proposal_);
  }

 private:
  /// Finds the other devices that the conditions of the model match.
  void find_others(std::span<const CandidatePtr> all, DeviceReader& reader) {
    for (const CandidatePtr& other : all) {
      if (other == proposal_.candidate || other->kind != proposal_.candidate->kind) continue;
      auto facts = reader.read(other->matched.front()->key);
      if (facts == nullptr) continue;
      // Without conditions of the model, the rule matches all of the kind.
      if (!model_.empty() && model_conditions(kind_, *facts) != model_) continue;
      same_model_.push_back(std::move(facts));
      proposal_.others.push_back(other);
    }
  }

  [[nodiscard]] bool is_in_model(const Condition& condition) const {
    return std::ranges::find(model_, condition) != model_.end();
  }

  void narrow() {
    YamlNode& match = value_in(proposal_.resource, "match");
    for (const Condition& condition : model_) add(condition, match);
    const YamlNode before = match;
    if (proposal_.only_this) add(*own_, match);
    YamlNode& deciding = deciding_value(match);
    if (!own_) {
      deciding.comment =
          options_.this_one ? all_text() + ": no value identifies one device" : all_text();
    } else if (is_in_model(*own_)) {
      deciding.comment = only_text();
    } else {
      deciding.comment = proposal_.only_this ? only_text() : all_text();
      explain_alternative(before, match);
    }
  }

  /// Writes above the deciding condition how to widen the rule, or to narrow it.
  void explain_alternative(const YamlNode& before, YamlNode& match) const {
    const std::string purpose = "for " + (proposal_.only_this ? all_text() : only_text());
    const YamlNode own = exact_text(own_->value);
    if (const YamlNode* const replaced = find_value(before, own_->variable)) {
      const YamlNode& other = proposal_.only_this ? *replaced : own;
      value_at(own_->variable, match).lines_above = {
          fmt::format("{}, write {}", purpose, text_of(other))};
      return;
    }
    const char* const verb = proposal_.only_this ? "remove" : "add";
    deciding_value(match).lines_above = {
        fmt::format("{}, {} {}", purpose, verb,
                    text_of(own_->variable, own, before, proposal_.only_this ? "from" : "to"))};
  }

  [[nodiscard]] std::string all_text() const {
    if (model_.empty()) return "all of this kind";
    if (kind_.like_text.empty()) return "all of this model";
    const auto& first = kind_.like.front();
    const bool is_first = std::ranges::equal(model_, first, {}, &Condition::variable);
    return is_first ? kind_.like_text : "all with this value";
  }

  [[nodiscard]] std::string only_text() const {
    return own_->variable == "name" ? "only this device, while it has this name"
                                    : "only this device";
  }

  /// The value of the last condition; the whole match if there is none.
  [[nodiscard]] YamlNode& deciding_value(YamlNode& match) const {
    const bool by_own = own_ && (proposal_.only_this || has_key_of(*own_));
    if (!by_own && model_.empty()) return match;
    return value_in(match, split_variable((by_own ? *own_ : model_.back()).variable).first);
  }

  /// Whether the model has a condition in the same mapping.
  [[nodiscard]] bool has_key_of(const Condition& own) const {
    return std::ranges::any_of(model_, [&](const Condition& condition) {
      return split_variable(condition.variable).first == split_variable(own.variable).first;
    });
  }

  /// Whether the value differs for all devices that the rule matches.
  [[nodiscard]] bool identifies(const std::string& variable) const {
    std::set<std::string> values;
    const auto add_value = [&](const DeviceFacts& device) {
      const auto value = value_of(device, variable);
      return value && values.insert(*value).second;
    };
    return add_value(*device_) && std::ranges::all_of(same_model_, [&](const auto& other) {
             const auto value = value_of(*other, variable);
             if (proposal_.only_this) return !value || !values.contains(*value);
             return add_value(*other);
           });
  }

  void choose_link() {
    if (config::value_of(proposal_.resource, "devices") == nullptr) return;
    for (const std::string& directory : kind_.links) {
      if (!identifies("link." + directory)) continue;
      use_link(directory, proposal_.resource);
      return;
    }
  }

  /// Uses the socket if serials do not identify the devices that the rule matches.
  void choose_id() {
    if (!value_of(*device_, "usb.socket")) return;
    if (!value_of(*device_, "usb.serial")) proposal_.no_serial = "it has no serial number";
    const auto serial = repeated_serial();
    if (!serial) return;
    proposal_.no_serial = "several devices here have the serial number " + *serial;
    const bool grouped = config::value_of(proposal_.resource, "by") != nullptr;
    const bool several = !grouped && value_of(*device_, "usb.interface").has_value();
    YamlNode id = config::yaml_text(several ? "$(usb.socket):$(usb.interface)" : "$(usb.socket)");
    if (config::value_of(proposal_.resource, "id") != nullptr) {
      value_in(proposal_.resource, "id") = std::move(id);
      return;
    }
    auto& entries = proposal_.resource.entries;
    const auto at = std::ranges::find(entries, key_after_match(proposal_.resource),
                                      [](const YamlEntry& entry) { return entry.key.value; });
    entries.insert(at, YamlEntry{{"id", {}}, std::move(id)});
  }

  /// A serial number that two devices of the model have. Several ports of one adapter have one.
  [[nodiscard]] std::optional<std::string> repeated_serial() const {
    std::map<std::string, std::string> sockets;  // By serial number.
    std::optional<std::string> repeated;
    const auto note = [&](const DeviceFacts& device) {
      const auto serial = value_of(device, "usb.serial");
      const std::string socket = value_of(device, "usb.socket").value_or("");
      if (serial && sockets.emplace(*serial, socket).first->second != socket) repeated = serial;
    };
    note(*device_);
    for (const auto& other : same_model_) note(*other);
    return repeated;
  }

  const Kind& kind_;
  const ProposalOptions& options_;
  Proposal proposal_;
  DeviceFactsPtr device_;  ///< Null for a path.
  Conditions model_;
  std::optional<Condition> own_;
  std::vector<DeviceFactsPtr> same_model_;  ///< Other devices of the model.
};

/// The text that makes the id: the variable of a template, or the source of a default id.
std::string source_of_id(const inventory::Unit& unit, const YamlNode& resource) {
  if (unit.id_source == rules::IdSource::written) return config::text_of(resource, "id");
  if (unit.id_source == rules::IdSource::by) return config::text_of(resource, "by");
  return std::string(word(unit.id_source));
}

/// Explains the end of an id such as A10KZP01:00.
std::string_view interface_text(const inventory::Unit& unit, const DeviceFacts& device,
                                std::string_view variable) {
  const auto interface = value_of(device, "usb.interface");
  const std::string value = value_of(device, variable).value_or("");
  const bool has_interface =
      interface && !value.empty() && unit.id.starts_with(value + ':' + *interface);
  return has_interface ? " and the interface" : "";
}

/// Whether a template with this variable uses it for the device, and not the text after `:-`.
bool has_value(const Proposal& proposal, std::string_view variable) {
  const bool may_lack = variable.starts_with("usb.") || variable.starts_with("pci.");
  return !may_lack || value_of(*proposal.device, variable);
}

}  // namespace

Result<void> check_name(const ProposalOptions& options) {
  if (options.name.contains('/')) {
    return fail("--name is without the domain; --domain sets it");
  }
  config::Diagnostics diagnostics;
  const std::string name = options.name.empty() ? "device" : options.name;
  if (rules::qualified_resource_name({options.domain + '/' + name, {}}, {}, diagnostics)) return {};
  return fail("--domain and --name: " + diagnostics.all().front().message);
}

Proposal propose(const CandidatePtr& candidate, std::span<const CandidatePtr> all,
                 const ProposalOptions& options, DeviceReader& reader) {
  return Maker(candidate, options).run(all, reader);
}

void add_id_comment(const inventory::Unit& unit, Proposal& proposal) {
  if (proposal.device == nullptr) return;  // The name of a path does not change.
  if (const std::string& own = proposal.candidate->kind->id; !own.empty()) {
    value_in(proposal.resource, "id").comment = own;
    return;
  }
  std::string source = source_of_id(unit, proposal.resource);
  // A device without a serial has the next value of $(usb.serial:-$(usb.socket)).
  if (!proposal.no_serial.empty()) replace_all(source, "usb.serial", "");
  for (const auto& [variable, what, lasts] : kIdComments) {
    if (!source.contains(variable) || !has_value(proposal, variable)) continue;
    const bool written = config::value_of(proposal.resource, "id") != nullptr;
    YamlNode& at = value_in(proposal.resource, written ? "id" : key_after_match(proposal.resource));
    std::string text =
        fmt::format("{}{}: {}", what, interface_text(unit, *proposal.device, variable), lasts);
    if (written) {
      at.comment = std::move(text);
    } else {
      at.lines_above.push_back(fmt::format("id {}: {}", unit.id, text));
    }
    if (variable == "usb.socket" && !proposal.no_serial.empty()) {
      at.lines_above.push_back(proposal.no_serial);
    }
    return;
  }
}

}  // namespace patchbay::suggest
