#include "inventory/id_advice.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <re2/re2.h>

#include "rules/text_use.h"

namespace patchbay::inventory {
namespace {

/// Greedy: the USB device that is nearest to the device, below hubs.
const re2::RE2& usb_port() {
  static const re2::RE2 pattern(R"((.*/usb[0-9]+/(?:[^/]+/)*[0-9]+-[0-9.]+)(?:/.*)?)");
  return pattern;
}

/// Greedy: the function nearest to the device, below bridges.
const re2::RE2& pci_address() {
  static const re2::RE2 pattern(R"((.*/[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])(?:/.*)?)");
  return pattern;
}

std::string part_of(const DeviceFacts& device, const re2::RE2& pattern) {
  std::string part;
  return re2::RE2::FullMatch(device.syspath, pattern, &part) ? part : std::string{};
}

/// As an id would have it.
std::string name_of(const DeviceFacts& device) {
  if (device.kind == DeviceKind::kernel_device) return {};
  auto name = rules::safe_value({rules::Variable::name, {}}, device.name, rules::TextUse::id);
  if (name) name = rules::finished(*std::move(name), rules::TextUse::id);
  return name ? *std::move(name) : std::string{};
}

bool tells_apart(std::span<const DeviceFacts* const> devices,
                 const std::function<std::string(const DeviceFacts&)>& value) {
  std::set<std::string> values;
  for (const DeviceFacts* device : devices) {
    std::string of_device = value(*device);
    if (of_device.empty() || !values.insert(std::move(of_device)).second) return false;
  }
  return true;
}

}  // namespace

std::string telling_variable(std::span<const DeviceFacts* const> devices) {
  const auto by = [&](const re2::RE2& pattern) {
    return tells_apart(devices, [&](const DeviceFacts& facts) { return part_of(facts, pattern); });
  };
  if (by(usb_port())) return "usb.port";
  if (by(pci_address())) return "pci.address";
  return tells_apart(devices, name_of) ? "name" : "";
}

std::string advice_on_equal_ids(const rules::GroupPlan& group,
                                std::span<const DeviceFacts* const> devices) {
  const std::string variable = telling_variable(devices);
  if (variable.empty()) return "";
  return group.id ? fmt::format("; what tells them apart is $({}): add it to the id", variable)
                  : fmt::format("; what tells them apart is $({0}): give the group an id with it",
                                variable);
}

std::string advice_on_absent_value(const rules::GroupPlan& group, const rules::RenderScope& scope) {
  if (!group.id || scope.device.facts == nullptr) return "";
  const std::string variable = telling_variable({&scope.device.facts, 1});
  for (const rules::Template::Use& use : group.id->uses()) {
    if (!use.required || rules::value_of(*use.variable, scope)) continue;
    std::string written = use.variable->to_text();
    if (variable.empty() || written == fmt::format("$({})", variable)) return "";
    written.pop_back();
    return fmt::format("; {}:-$({})) would do", written, variable);
  }
  return "";
}

}  // namespace patchbay::inventory
