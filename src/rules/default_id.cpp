#include "rules/default_id.h"

#include <utility>

#include <fmt/format.h>

#include "rules/text_use.h"

namespace patchbay::rules {
namespace {

/// What the id is made of, the first that the device has.
IdSource place_of(const DeviceFacts& device) {
  if (device.known.has(Fact::usb, "serial")) return IdSource::usb_serial;
  if (device.known.has(Fact::usb, "port")) return IdSource::usb_port;
  if (device.known.has(Fact::pci, "address")) return IdSource::pci_address;
  return device.kind == DeviceKind::kernel_device ? IdSource::kernel_name : IdSource::name;
}

VariableRef variable_of(IdSource source) {
  switch (source) {
    case IdSource::usb_serial:
      return {Fact::usb, "serial"};
    case IdSource::usb_port:
      return {Fact::usb, "port"};
    case IdSource::pci_address:
      return {Fact::pci, "address"};
    default:
      return {Fact::name};
  }
}

Result<std::string> safe_part(const VariableRef& ref, const DeviceFacts& device) {
  auto value = value_of(ref, {.device = {.facts = &device}});
  if (!value) return fail(fmt::format("needs {}, which the device does not have", ref.to_text()));
  return safe_value(ref, std::move(*value), TextUse::id);
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
    case IdSource::usb_port:
      return "usb.port";
    case IdSource::pci_address:
      return "pci.address";
    case IdSource::kernel_name:
      return "kernel name";
  }
  return "";
}

Result<UnitId> default_id(const DeviceFacts& device) {
  const IdSource source = place_of(device);
  auto id = safe_part(variable_of(source), device);
  const bool usb = source == IdSource::usb_serial || source == IdSource::usb_port;
  if (id && usb && device.known.has(Fact::usb, "interface")) {
    const auto interface = safe_part({Fact::usb, "interface"}, device);
    if (!interface) return fail("the default id", interface.error());
    *id += ':' + *interface;
  }
  if (id) id = finished(std::move(*id), TextUse::id);
  if (!id) return fail("the default id", id.error());
  return UnitId{*std::move(id), source};
}

void want_default_id(RuleKind kind, WantedFacts& wanted) {
  if (kind == RuleKind::glob || kind == RuleKind::static_name) return;
  for (const char* part : {"serial", "port", "interface"}) wanted.add(Fact::usb, part);
  wanted.add(Fact::pci, "address");
}

}  // namespace patchbay::rules
