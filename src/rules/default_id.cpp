#include "rules/default_id.h"

#include <utility>

#include <fmt/format.h>

#include "rules/text_use.h"

namespace patchbay::rules {
namespace {

/// What the id is made of, the first that the device has.
VariableRef place_of(const DeviceFacts& device) {
  if (device.usb.contains("serial")) return {Variable::usb, "serial"};
  if (device.usb.contains("port")) return {Variable::usb, "port"};
  if (device.pci.contains("address")) return {Variable::pci, "address"};
  return {Variable::name, {}};
}

Result<std::string> safe_part(const VariableRef& ref, const DeviceFacts& device) {
  RenderScope scope;
  scope.device = &device;
  auto value = value_of(ref, scope);
  if (!value) return fail(fmt::format("needs {}, which the device does not have", ref.to_text()));
  return safe_value(ref, std::move(*value), TextUse::id);
}

}  // namespace

Result<std::string> default_id(const DeviceFacts& device) {
  const VariableRef place = place_of(device);
  auto id = safe_part(place, device);
  if (id && place.variable == Variable::usb && device.usb.contains("interface")) {
    const auto interface = safe_part({Variable::usb, "interface"}, device);
    if (!interface) return fail("the default id", interface.error());
    *id += ':' + *interface;
  }
  if (!id) return fail("the default id", id.error());
  return finished(std::move(*id), TextUse::id);
}

void want_default_id(RuleKind kind, WantedFacts& wanted) {
  if (kind == RuleKind::glob) return;
  wanted.usb.insert(wanted.usb.end(), {"serial", "port", "interface"});
  wanted.pci.emplace_back("address");
}

}  // namespace patchbay::rules
