#include <algorithm>
#include <string>
#include <string_view>

#include "rules/lint/warnings.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {
namespace {

using config::ConditionSpec;
using config::FactConditionSpec;
using config::MatchSpec;

bool is_usb(const ConditionSpec& condition) {
  if (condition.form == ConditionSpec::Form::text) return condition.text == "usb";
  return std::ranges::any_of(condition.list, is_usb);
}

/// "1-4*" matches a device and its interfaces, "1-4" the device, "*:1.0" interfaces.
bool names_both(const ConditionSpec& condition) {
  return condition.form == ConditionSpec::Form::text &&
         condition.text.find('*') != std::string::npos &&
         condition.text.find(':') == std::string::npos;
}

/// Whether a USB device and also its interfaces can meet the condition.
bool matches_both(const FactConditionSpec& condition) {
  switch (condition.fact) {
    case Fact::subsystem:
    case Fact::numa_node:
    case Fact::pci:
    case Fact::file:
      return true;
    case Fact::name:
      return names_both(condition.condition);
    case Fact::usb:
      return condition.name.value != "interface";
    default:
      return false;  // Devices and interfaces have different attributes, properties and drivers.
  }
}

bool distinguishes_interfaces(const MatchSpec& match) {
  return !std::ranges::all_of(match.conditions, matches_both) ||
         std::ranges::any_of(match.any, distinguishes_interfaces) ||
         std::ranges::any_of(match.except, distinguishes_interfaces);
}

void check(const MatchSpec& match, const SizeRange& size, config::Diagnostics& diagnostics) {
  const ConditionSpec* subsystem = match.find(Fact::subsystem);
  if (subsystem == nullptr || !is_usb(*subsystem) || distinguishes_interfaces(match) ||
      size.max > 1) {
    return;
  }
  diagnostics.warning(
      subsystem->at,
      "'subsystem: usb' also finds the interfaces of the USB device (they have no device node)",
      "add devtype: usb_device, or devtype: usb_interface to find interfaces");
}

}  // namespace

void warn_of_usb_interfaces(const config::GroupSpec& spec, const GroupPlan& group,
                            config::Diagnostics& diagnostics) {
  check(spec.match, group.by ? group.size : SizeRange{.min = 1, .max = 1}, diagnostics);
  for (const config::MemberSpec& member : spec.members) {
    const auto plan = std::ranges::find(group.members, member.name.value, &MemberPlan::name);
    if (plan != group.members.end()) check(member.match, plan->size, diagnostics);
  }
}

}  // namespace patchbay::rules
