#include "rules/plan/default_id.h"

#include <array>
#include <utility>

#include "rules/text/text_use.h"

namespace patchbay::rules {
namespace {

struct IdCandidate {
  IdSource source;
  Fact fact;
  std::string_view argument;
};

/// In order of preference.
constexpr std::array kCandidates{
    IdCandidate{IdSource::usb_serial, Fact::usb, "serial"},
    IdCandidate{IdSource::disk_serial, Fact::identity, "serial"},
    IdCandidate{IdSource::usb_socket, Fact::usb, "socket"},
    IdCandidate{IdSource::pci_address, Fact::pci, "address"},
};

/// The value as used in an id. Empty if it is absent or unusable.
std::string safe(const DeviceFacts& device, Fact fact, std::string_view argument) {
  const std::string_view value = device.known.first(fact, argument);
  if (value.empty()) return {};
  return safe_value({Fact::name}, std::string(value), TextUse::id).value_or("");
}

void append(std::string& id, const std::string& component) {
  if (!component.empty()) id += ':' + component;
}

Result<UnitId> finished_id(std::string text, IdSource source) {
  auto id = finish_text(std::move(text), TextUse::id);
  if (!id) return fail("the default id", id.error());
  return UnitId{*std::move(id), source};
}

/// The id from the device's name, if the device has no better source.
Result<UnitId> id_of_name(const DeviceFacts& device) {
  auto name = safe_value({Fact::name}, device.name, TextUse::id);
  if (!name) return fail("the default id", name.error());
  return finished_id(*std::move(name), device.kind == DeviceKind::kernel_device
                                           ? IdSource::kernel_name
                                           : IdSource::name);
}

}  // namespace

std::string_view word(IdSource source) {
  switch (source) {
    case IdSource::written:
      return "id";
    case IdSource::by:
      return "by";
    case IdSource::name:
      return "name";
    case IdSource::usb_serial:
      return "usb.serial";
    case IdSource::disk_serial:
      return "disk serial";
    case IdSource::usb_socket:
      return "usb.socket";
    case IdSource::pci_address:
      return "pci.address";
    case IdSource::kernel_name:
      return "kernel name";
  }
  return "";
}

Result<UnitId> default_id(const DeviceFacts& device) {
  for (const auto& [source, fact, argument] : kCandidates) {
    std::string id = safe(device, fact, argument);
    if (id.empty()) continue;
    if (fact == Fact::usb) append(id, safe(device, Fact::usb, "interface"));
    // A disk serial identifies one disk. Other hardware can have several devices.
    if (source != IdSource::disk_serial) append(id, safe(device, Fact::identity, "place"));
    append(id, safe(device, Fact::identity, "part"));
    return finished_id(std::move(id), source);
  }
  return id_of_name(device);
}

void want_default_id(RuleKind kind, WantedFacts& wanted) {
  if (kind == RuleKind::glob || kind == RuleKind::static_name) return;
  for (const char* component : {"serial", "socket", "interface"}) wanted.add(Fact::usb, component);
  for (const char* component : {"serial", "place", "part"}) wanted.add(Fact::identity, component);
  wanted.add(Fact::pci, "address");
}

}  // namespace patchbay::rules
