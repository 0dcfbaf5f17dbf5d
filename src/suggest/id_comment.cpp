#include "suggest/id_comment.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "config/yaml_writer.h"
#include "suggest/device_values.h"

namespace patchbay::suggest {
namespace {

using config::YamlEntry;
using config::YamlNode;

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
    IdComment{"property.ID_PATH", "the path to the device",
              "it changes if the device is moved to another socket or slot"},
    IdComment{"property.OF_FULLNAME", "the path in the device tree", "a reboot does not change it"},
    IdComment{"capture.place", "the path in the device tree", "a reboot does not change it"},
    IdComment{"usb.socket", "the USB socket", "it changes if the device is moved to another one"},
    IdComment{"pci.rootPort", "the slot", "it changes if the card is moved to another one"},
    IdComment{"pci.address", "the PCI address",
              "it can change if a card is moved, added or removed"},
    IdComment{"fpga_region", "the kernel's name", "it can change at a reboot"},
    IdComment{"kernel name", "the kernel's name", kLikeName},
    IdComment{"name", "the kernel's name", kLikeName},
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

/// Whether units of the rule have ids of different kinds, as with $(usb.serial:-$(usb.socket)).
bool may_differ(const Proposal& proposal) {
  return !proposal.others.empty() && !proposal.only_this &&
         config::text_of(proposal.resource, "id").contains(":-");
}

}  // namespace

void add_id_comment(const inventory::Unit& unit, Proposal& proposal) {
  if (proposal.device == nullptr) return;  // The name of a path does not change.
  if (const std::string& own = proposal.candidate->kind->id; !own.empty()) {
    value_in(proposal.resource, "id").comment = own;
    return;
  }
  const std::string source = source_of_id(unit, proposal.resource);
  for (const auto& [variable, what, lasts] : kIdComments) {
    if (!source.contains(variable) || !has_value(proposal, variable)) continue;
    // A device without a serial has the next value of $(usb.serial:-$(usb.socket)).
    if (variable == "usb.serial" && !proposal.no_serial.empty()) continue;
    const bool written = config::value_of(proposal.resource, "id") != nullptr;
    YamlNode& at = value_in(proposal.resource, written ? "id" : key_after_match(proposal.resource));
    std::string text =
        fmt::format("{}{}: {}", what, interface_text(unit, *proposal.device, variable), lasts);
    if (written && !may_differ(proposal)) {
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

std::string_view key_after_match(const YamlNode& resource) {
  constexpr std::array<std::string_view, 6> kBefore{"name", "match",   "by",
                                                    "size", "members", "claim"};
  for (const YamlEntry& entry : resource.entries) {
    if (std::ranges::find(kBefore, entry.key.value) == kBefore.end()) return entry.key.value;
  }
  return "match";
}

}  // namespace patchbay::suggest
