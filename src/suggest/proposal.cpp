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
#include "machine/identifier_text.h"
#include "rules/text/qualified_name.h"
#include "suggest/conditions.h"
#include "suggest/device_values.h"
#include "suggest/id_comment.h"
#include "suggest/title.h"

namespace patchbay::suggest {
namespace {

using config::YamlEntry;
using config::YamlNode;

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

/// The devices that the rule itself matches. Empty for a path.
Devices devices_of(const Candidate& candidate, DeviceReader& reader) {
  Devices devices;
  for (const auto& matched : candidate.matched) {
    if (auto device = reader.read(matched->key)) devices.push_back(std::move(device));
  }
  return devices;
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
    unit_ = devices_of(*proposal_.candidate, reader);
    if (unit_.empty()) return std::move(proposal_);  // A path: the kind's rule names it.
    proposal_.device = unit_.front();
    proposal_.model = model_of(*unit_.front());
    model_ = model_conditions(kind_, unit_);
    find_others(all, reader);
    own_ = own_conditions(kind_, unit_, others_);
    const bool no_model = model_.empty() && !kind_.owner.empty();
    proposal_.only_this = !own_.empty() && (options_.this_one || is_in_model(own_) || no_model);
    narrow();
    choose_link(reader);
    choose_id();
    return std::move(proposal_);
  }

 private:
  /// Finds the other units that the conditions of the model match.
  void find_others(std::span<const CandidatePtr> all, DeviceReader& reader) {
    for (const CandidatePtr& other : all) {
      if (other == proposal_.candidate || other->kind != proposal_.candidate->kind) continue;
      const Devices devices = devices_of(*other, reader);
      if (!any_meets(devices, model_)) continue;
      others_.insert(others_.end(), devices.begin(), devices.end());
      proposal_.others.push_back(other);
    }
  }

  [[nodiscard]] bool is_in_model(const Conditions& conditions) const {
    return std::ranges::all_of(conditions, [&](const Condition& condition) {
      return std::ranges::find(model_, condition) != model_.end();
    });
  }

  void narrow() {
    YamlNode& match = value_in(proposal_.resource, "match");
    for (const Condition& condition : model_) add(condition, match);
    const YamlNode before = match;
    if (proposal_.only_this) {
      for (const Condition& condition : own_) add(condition, match);
    }
    YamlNode& deciding = deciding_value(match);
    if (own_.empty()) {
      deciding.comment =
          options_.this_one ? all_text() + ": no value identifies one device" : all_text();
    } else if (is_in_model(own_)) {
      deciding.comment = only_text();
    } else {
      deciding.comment = proposal_.only_this ? only_text() : all_text();
      explain_alternative(before, match);
    }
    explain_stand_in(match);
  }

  /// Writes above the deciding condition which one a stand-in prevents.
  void explain_stand_in(YamlNode& match) const {
    for (const auto& variables : kind_.one) {
      if (!own_.empty() && std::ranges::equal(own_, variables, {}, &Condition::variable)) return;
      for (const std::string& variable : variables) {
        if (!machine::is_stand_in(value_of(*unit_.front(), variable).value_or(""))) continue;
        const std::string what = variable == "usb.serial" ? "serial number" : "value";
        const Condition condition{variable, "put the " + what + " of the device here"};
        deciding_value(match).lines_above.push_back(text_of({condition}, match, "") +
                                                    "; the file has a stand-in");
        return;
      }
    }
  }

  /// Writes above the deciding condition how to widen the rule, or to narrow it.
  void explain_alternative(const YamlNode& before, YamlNode& match) const {
    const std::string purpose = "for " + (proposal_.only_this ? all_text() : only_text());
    const Condition& last = own_.back();
    if (const YamlNode* const replaced = find_value(before, last.variable)) {
      const YamlNode& other = proposal_.only_this ? *replaced : exact_text(last.value);
      value_at(last.variable, match).lines_above = {
          fmt::format("{}, write {}", purpose, text_of(other))};
      return;
    }
    const char* const verb = proposal_.only_this ? "remove" : "add";
    deciding_value(match).lines_above = {fmt::format(
        "{}, {} {}", purpose, verb, text_of(own_, before, proposal_.only_this ? "from" : "to"))};
  }

  [[nodiscard]] std::string all_text() const {
    if (model_.empty()) return "all of this kind";
    if (kind_.like_text.empty()) return "all of this model";
    const auto& first = kind_.like.front();
    const bool is_first = std::ranges::equal(model_, first, {}, &Condition::variable);
    return is_first ? kind_.like_text : "all with this value";
  }

  [[nodiscard]] std::string only_text() const {
    const std::string& variable = own_.back().variable;
    return variable == "name" || variable.starts_with("ancestor.")
               ? "only this device, while it has this name"
               : "only this device";
  }

  /// The value of the last condition; the whole match if there is none.
  [[nodiscard]] YamlNode& deciding_value(YamlNode& match) const {
    const bool by_own = !own_.empty() && (proposal_.only_this || has_key(key_of(own_.back())));
    if (!by_own && model_.empty()) return match;
    return value_in(match, key_of((by_own ? own_ : model_).back()));
  }

  /// Whether the model has a condition on the key of a match.
  [[nodiscard]] bool has_key(std::string_view key) const {
    return std::ranges::any_of(
        model_, [&](const Condition& condition) { return key_of(condition) == key; });
  }

  /// Whether the value differs for all devices that the rule matches.
  [[nodiscard]] bool identifies(const std::string& variable) const {
    std::set<std::string> values;
    const auto add_value = [&](const DeviceFactsPtr& device) {
      const auto value = value_of(*device, variable);
      return value && values.insert(*value).second;
    };
    if (!std::ranges::all_of(unit_, add_value)) return false;
    return std::ranges::all_of(others_, [&](const DeviceFactsPtr& other) {
      if (!proposal_.only_this) return add_value(other);
      const auto value = value_of(*other, variable);
      return !value || !values.contains(*value);
    });
  }

  void choose_link(DeviceReader& reader) {
    if (config::value_of(proposal_.resource, "devices") == nullptr) return;
    Devices all = unit_;
    if (!proposal_.only_this) all.insert(all.end(), others_.begin(), others_.end());
    for (const std::string& directory : kind_.links) {
      const bool each_has_one = std::ranges::all_of(all, [&](const DeviceFactsPtr& device) {
        const auto link = value_of(*device, "link." + directory);
        return link && reader.is_only_target(*device, *link);
      });
      if (!each_has_one) continue;
      use_link(directory, proposal_.resource);
      return;
    }
  }

  /// Uses the socket if serials do not identify the devices that the rule matches. Uses the path to
  /// the device if the default id is the kernel's name.
  void choose_id() {
    if (!value_of(*unit_.front(), "usb.socket")) {
      const bool has_default = has_key_of_id() || value_of(*unit_.front(), "pci.address") ||
                               unit_.front()->subsystem == "block";
      for (const std::string variable : {"property.ID_PATH", "property.OF_FULLNAME"}) {
        if (has_default || !identifies(variable)) continue;
        return set_id(config::yaml_text("$(" + variable + ")"));
      }
      return;
    }
    if (!value_of(*unit_.front(), "usb.serial")) proposal_.no_serial = "it has no serial number";
    const YamlNode* const own_id = config::value_of(proposal_.resource, "id");
    if (own_id != nullptr && !own_id->text.contains("usb.serial")) return;
    const auto serial = repeated_serial();
    if (!serial) return;
    proposal_.no_serial = "several devices here have the serial number " + *serial;
    const bool grouped = config::value_of(proposal_.resource, "by") != nullptr;
    const bool several = !grouped && value_of(*unit_.front(), "usb.interface").has_value();
    set_id(config::yaml_text(several ? "$(usb.socket):$(usb.interface)" : "$(usb.socket)"));
  }

  [[nodiscard]] bool has_key_of_id() const {
    return config::value_of(proposal_.resource, "id") != nullptr ||
           config::value_of(proposal_.resource, "by") != nullptr;
  }

  void set_id(YamlNode id) {
    if (config::value_of(proposal_.resource, "id") != nullptr) {
      value_in(proposal_.resource, "id") = std::move(id);
      return;
    }
    auto& entries = proposal_.resource.entries;
    const auto at = std::ranges::find(entries, key_after_match(proposal_.resource),
                                      [](const YamlEntry& entry) { return entry.key.value; });
    entries.insert(at, YamlEntry{{"id", {}}, std::move(id)});
  }

  /// A serial number that two of the devices have which the rule matches. For a rule of one device:
  /// its serial number, if another one of the model has it. Several ports of one adapter have one.
  [[nodiscard]] std::optional<std::string> repeated_serial() const {
    std::map<std::string, std::string> sockets;  // By serial number.
    std::optional<std::string> repeated;
    const auto note = [&](const DeviceFacts& device, bool may_be_new) {
      const auto serial = value_of(device, "usb.serial");
      if (!serial || (!may_be_new && !sockets.contains(*serial))) return;
      const std::string socket = value_of(device, "usb.socket").value_or("");
      if (sockets.emplace(*serial, socket).first->second != socket) repeated = serial;
    };
    note(*unit_.front(), true);
    for (const auto& other : others_) note(*other, !proposal_.only_this);
    return repeated;
  }

  const Kind& kind_;
  const ProposalOptions& options_;
  Proposal proposal_;
  Devices unit_;  ///< The devices that the rule itself matches. Empty for a path.
  Conditions model_;
  Conditions own_;
  Devices others_;  ///< Those of other units of the model.
};

}  // namespace

Result<void> check_name(const ProposalOptions& options) {
  if (options.name.contains('/')) {
    return fail("--name is without the domain; --domain sets it");
  }
  if (options.domain.empty()) return fail("--domain is empty");
  config::Diagnostics diagnostics;
  const std::string name = options.name.empty() ? "device" : options.name;
  if (rules::qualified_resource_name({options.domain + '/' + name, {}}, {}, diagnostics)) return {};
  return fail("--domain and --name: " + diagnostics.all().front().message);
}

Proposal propose(const CandidatePtr& candidate, std::span<const CandidatePtr> all,
                 const ProposalOptions& options, DeviceReader& reader) {
  return Maker(candidate, options).run(all, reader);
}

}  // namespace patchbay::suggest
