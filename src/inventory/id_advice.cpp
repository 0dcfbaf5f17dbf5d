#include "inventory/id_advice.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/text/text_use.h"

namespace patchbay::inventory {
namespace {

bool is_one_of(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

/// Whether this is the directory of a USB device, not of an interface. "1-3.2" is port 2 of a hub
/// at port 3.
bool is_usb_device(std::string_view component) {
  const size_t dash = component.find('-');
  return dash != std::string_view::npos && dash > 0 && dash + 1 < component.size() &&
         is_one_of(component.substr(0, dash), "0123456789") &&
         is_one_of(component.substr(dash + 1), "0123456789.");
}

/// Whether this is the directory of a bus, as "usb1".
bool is_root_hub(std::string_view component) {
  constexpr std::string_view kName = "usb";
  return component.starts_with(kName) && component.size() > kName.size() &&
         is_one_of(component.substr(kName.size()), "0123456789");
}

/// Whether this is the directory of a PCI function, as "0000:3b:00.0". A domain may have more
/// digits.
bool is_pci_function(std::string_view component) {
  constexpr std::string_view kEnd = ":00:00.0";
  constexpr size_t kDomain = 4;
  if (component.size() < kDomain + kEnd.size()) return false;
  const std::string_view end = component.substr(component.size() - kEnd.size());
  for (size_t i = 0; i < kEnd.size(); ++i) {
    if (!is_one_of(end.substr(i, 1), kEnd[i] == '0' ? kHexDigits : kEnd.substr(i, 1))) return false;
  }
  return is_one_of(component.substr(0, component.size() - kEnd.size()), kHexDigits);
}

/// The path of the nearest such directory: the device's own or an ancestor's. Empty if there is
/// none.
std::string find_directory(const DeviceFacts& device, bool (*is_it)(std::string_view)) {
  std::string_view path = device.syspath();
  while (!path.empty() && !is_it(base_name(path))) {
    path = path.substr(0, std::min(path.rfind('/'), path.size()));
    if (path.find('/') == std::string_view::npos) return {};
  }
  return std::string(path);
}

/// Whether some devices are on different buses of one controller. A USB 3 hub is a device on two
/// buses, and both devices are in one socket.
bool may_share_a_socket(std::span<const DeviceFacts* const> devices) {
  std::map<std::string, std::string> bus_of;
  return std::ranges::any_of(devices, [&](const DeviceFacts* device) {
    std::string bus = find_directory(*device, is_root_hub);
    const std::string controller = bus.substr(0, bus.rfind('/'));
    const auto [known, is_new] = bus_of.try_emplace(controller, bus);
    return !is_new && known->second != bus;
  });
}

/// The name of the device as an id writes it.
std::string name_of(const DeviceFacts& device) {
  if (device.kind == DeviceKind::kernel_device) return {};
  auto name = rules::safe_value({Fact::name}, device.name, rules::TextUse::id);
  if (name) name = rules::finish_text(*std::move(name), rules::TextUse::id);
  return name ? *std::move(name) : std::string{};
}

bool distinguishes_devices(std::span<const DeviceFacts* const> devices,
                           const std::function<std::string(const DeviceFacts&)>& value) {
  std::set<std::string> values;
  for (const DeviceFacts* device : devices) {
    std::string of_device = value(*device);
    if (of_device.empty() || !values.insert(std::move(of_device)).second) return false;
  }
  return true;
}

}  // namespace

std::string distinguishing_variable(std::span<const DeviceFacts* const> devices) {
  const auto by = [&](bool (*is_it)(std::string_view)) {
    return distinguishes_devices(
        devices, [&](const DeviceFacts& facts) { return find_directory(facts, is_it); });
  };
  if (by(is_usb_device)) return "usb.socket";
  if (by(is_pci_function)) return "pci.address";
  return distinguishes_devices(devices, name_of) ? "name" : "";
}

std::string advice_on_equal_ids(const rules::GroupPlan& group,
                                std::span<const DeviceFacts* const> devices) {
  const std::string variable = distinguishing_variable(devices);
  if (variable == "usb.socket" && may_share_a_socket(devices)) {
    return "; if they are one USB 3 hub, write by: $(usb.socket)";
  }
  if (variable.empty() && !group.id && devices.front()->kind == DeviceKind::kernel_device) {
    return "; only their names differ, which can change at a reboot: write id: $(name)";
  }
  if (variable.empty()) return "";
  return group.id
             ? fmt::format("; $({}) differs between them: add it to the id", variable)
             : fmt::format("; $({0}) differs between them: give the group an id that contains it",
                           variable);
}

std::string advice_on_absent_value(const rules::GroupPlan& group, const rules::RenderScope& scope) {
  if (!group.id || scope.device.facts == nullptr) return "";
  const std::string variable = distinguishing_variable({&scope.device.facts, 1});
  for (const rules::Template::VariableUse& use : group.id->uses()) {
    if (!use.required || rules::value_of(*use.variable, scope)) continue;
    std::string written = use.variable->to_text();
    // If a member is missing, the member must be added.
    if (!use.variable->member.empty()) return "";
    if (variable.empty() || written == fmt::format("$({})", variable)) return "";
    written.pop_back();
    return fmt::format("; write {}:-$({}))", written, variable);
  }
  return "";
}

}  // namespace patchbay::inventory
