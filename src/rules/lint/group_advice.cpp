#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "rules/lint/single_device.h"
#include "rules/lint/spec_texts.h"
#include "rules/lint/warnings.h"
#include "rules/match/matcher.h"
#include "rules/text/kernel_names.h"

namespace patchbay::rules {
namespace {

/// Whether a group that gives no other entry only gives the nodes of its devices.
bool gives_only_nodes(const config::GroupSpec& group) {
  return !group.devices && group.mounts.empty() && group.envs.empty() &&
         group.annotations.empty() && !group.cdi && group.members.empty();
}

/// Warns about a group without a device node: a directory, sockets, or a subsystem without nodes.
void check_nodes(const config::GroupSpec& group, config::Diagnostics& diagnostics) {
  if (!gives_only_nodes(group)) return;
  const auto kind = Matcher::kind_of(group.match);
  const auto warn = [&](const config::Position& at, std::string_view what, std::string hint) {
    diagnostics.warning(at, fmt::format("a container gets nothing of this group: {}", what),
                        std::move(hint));
  };
  const config::ConditionSpec* const type = group.match.find(Fact::type);
  const auto& paths = group.match.glob;
  const std::string_view subsystem = only_subsystem(group.match);
  const std::string_view other = subsystem_of_nodes(subsystem);
  if (type != nullptr && !type->list.empty() && type->list.front().text == "socket") {
    warn(type->at, "a socket is not a device node", "write mounts: [{hostPath: $(path)}]");
  } else if (type == nullptr && paths.size() == 1 && is_known_directory(paths.front().value)) {
    warn(paths.front().at, fmt::format("'{}' is a directory", paths.front().value),
         fmt::format("for each node in it write {}/*; for the directory itself write mounts: "
                     "[{{hostPath: $(path)}}]",
                     paths.front().value));
  } else if (kind == RuleKind::subsystem && !other.empty() && !group.by) {
    warn(group.match.find(Fact::subsystem)->at,
         fmt::format("devices of subsystem '{}' have no node", subsystem),
         fmt::format("write subsystem: {}", other));
  }
}

/// Variables with the same value for all devices of one model.
bool is_of_a_model(std::string_view variable) {
  constexpr std::string_view kCommon =
      "resource node subsystem devtype driver numaNode usb.vendor usb.product pci.vendor "
      "pci.device pci.class pci.driver pci.subsystemVendor pci.subsystemDevice "
      "property.ID_VENDOR property.ID_VENDOR_ID property.ID_MODEL property.ID_MODEL_ID "
      "property.ID_BUS property.ID_USB_DRIVER property.ID_TYPE attribute.device/vendor "
      "attribute.device/model attribute.device/device";
  return contains_word(kCommon, variable);
}

void check_id(const config::GroupSpec& group, config::Diagnostics& diagnostics) {
  if (!group.id || group.by || matches_single_device(group.match)) return;
  static const re2::RE2 variable(R"(\$\(([^():]+))");
  const std::string& written = group.id->value;
  re2::StringPiece rest(written);
  re2::StringPiece name;
  size_t count = 0;
  while (re2::RE2::FindAndConsume(&rest, variable, &name)) {
    if (!is_of_a_model({name.data(), name.size()})) return;
    ++count;
  }
  if (count == 0) return;
  diagnostics.warning(
      group.id->at,
      fmt::format("'id: {}' is the same text for all devices of a model: units with the same id "
                  "are not offered",
                  written),
      "add a variable that differs: $(usb.serial), $(usb.socket), $(pci.address) or $(name); or, "
      "if a node has only one device, by: NAME, size: 1");
}

}  // namespace

void warn_of_group(const config::GroupSpec& group, config::Diagnostics& diagnostics) {
  check_nodes(group, diagnostics);
  check_id(group, diagnostics);
}

}  // namespace patchbay::rules
