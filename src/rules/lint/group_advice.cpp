#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "rules/lint/single_device.h"
#include "rules/lint/spec_texts.h"
#include "rules/lint/text_advice.h"
#include "rules/lint/warnings.h"
#include "rules/match/matcher.h"
#include "rules/text/kernel_names.h"
#include "rules/text/pattern_text.h"
#include "rules/text/position.h"

namespace patchbay::rules {
namespace {

using Text = config::Located<std::string>;

/// Whether the text is a variable of the matched device that names a device node.
bool is_node_variable(std::string_view text) {
  return text == "$(devnode)" || text == "$(usb.devnode)" ||
         (text.starts_with("$(link.") && text.find(')') == text.size() - 1);
}

/// Warns about a static name that looks like several.
void warn_of_static_names(const std::vector<config::Located<std::string>>& names,
                          config::Diagnostics& diagnostics) {
  static const re2::RE2 range(R"(([A-Za-z_.]*)(\d{1,3})(?:-|\.\.)(\d{1,3}))");
  static const re2::RE2 several(R"(.*[*?{}\[\]].*|\S+, *\S+)");
  const auto is_range = [&](const config::Located<std::string>& name) {
    return re2::RE2::FullMatch(name.value, range);
  };
  for (const config::Located<std::string>& name : names) {
    // Placeholders of other tools have their own warning.
    if (name.value.contains("${") || name.value.contains("{{")) continue;
    const bool number = name.value.find_first_not_of(kDigits) == std::string::npos;
    std::string hint;
    std::string stem;
    int first = 0;
    int last = 0;
    if (number && names.size() == 1) {
      hint = fmt::format(
          "write a list of names, [scope1, scope2]; for one unit that several containers use write "
          "share: {{count: {}}}",
          name.value);
    } else if (re2::RE2::FullMatch(name.value, range, &stem, &first, &last) && first < last &&
               std::ranges::count_if(names, is_range) == 1) {
      hint = fmt::format("write a list of names: [{0}{1}, {0}{2}{3}]", stem, first, first + 1,
                         first + 1 < last ? ", …" : "");
    } else if (re2::RE2::FullMatch(name.value, several)) {
      hint = "write a list of names: [scope1, scope2]";
    }
    if (hint.empty()) continue;
    diagnostics.warning(name.at, fmt::format("'{}' is one name: it gives one unit", name.value),
                        std::move(hint));
  }
}

class GroupAdvisor {
 public:
  GroupAdvisor(const config::GroupSpec& group, config::Diagnostics& diagnostics)
      : group_(group), diagnostics_(diagnostics), kind_(Matcher::kind_of(group.match)) {}

  void advise() {
    check_types();
    check_nodes();
    check_id();
    warn_of_static_names(group_.match.static_names, diagnostics_);
  }

 private:
  void warn(const Text& text, size_t offset, std::string message, std::string hint) {
    diagnostics_.warning(position_in(text, offset), std::move(message), std::move(hint));
  }
  [[nodiscard]] bool has_no_devices() const {
    return !group_.devices && group_.mounts.empty() && group_.envs.empty() &&
           group_.annotations.empty() && !group_.cdi && group_.members.empty();
  }
  void warn_of_mounted_node(const Text& path);
  void check_types();
  void check_directory();
  void check_class();
  void check_nodes();
  void check_id();

  const config::GroupSpec& group_;
  config::Diagnostics& diagnostics_;
  std::optional<RuleKind> kind_;
};

/// The types that a glob rule finds, as `type:` lists them. Empty without `type:`.
std::vector<std::string_view> types_of(const config::MatchSpec& match) {
  std::vector<std::string_view> types;
  const config::ConditionSpec* const type = match.find(Fact::type);
  if (type == nullptr) return types;
  for (const config::ConditionSpec& word : type->list) types.push_back(word.text);
  return types;
}

/// A directory of nodes that is found as one path.
void GroupAdvisor::check_directory() {
  const auto& paths = group_.match.glob;
  if (paths.size() != 1 || !is_known_directory(paths.front().value) || !has_no_devices()) return;
  warn(paths.front(), 0,
       fmt::format("a container gets no device of '{}': it is a directory", paths.front().value),
       fmt::format("for each node in it write {}/*; for the directory itself write mounts: "
                   "[{{hostPath: $(path)}}]",
                   paths.front().value));
}

void GroupAdvisor::check_types() {
  if (kind_ != RuleKind::glob) return;
  const auto types = types_of(group_.match);
  if (types.empty()) return check_directory();
  const auto is_node = [](std::string_view type) { return type == "char" || type == "block"; };
  const bool nodes = std::ranges::all_of(types, is_node);
  if (std::ranges::any_of(types, is_node) != nodes) return;
  // A group that only counts files is valid, so only sockets are reported.
  if (types.front() == "socket" && has_no_devices()) {
    diagnostics_.warning(group_.match.find(Fact::type)->at,
                         "a container gets nothing of this group: a socket is not a device node",
                         "write mounts: [{hostPath: $(path)}]");
  }
  for (const auto& device : group_.devices.value_or(std::vector<config::DeviceEntrySpec>{})) {
    if (nodes || device.host_path.value != "$(path)") continue;
    warn(device.host_path, 0,
         fmt::format("no container can get '$(path)' as a device: a {} is not a device node",
                     types.front()),
         "write mounts: [{hostPath: $(path)}] instead of devices:");
  }
  for (const config::MountSpec& mount : group_.mounts) {
    if (nodes && mount.host_path.value == "$(path)") warn_of_mounted_node(mount.host_path);
  }
}

void GroupAdvisor::warn_of_mounted_node(const Text& path) {
  warn(path, 0,
       fmt::format("a container cannot open '{}': only device nodes in devices: can be opened",
                   path.value),
       fmt::format("write devices: [{{hostPath: {}}}] instead of mounts:", path.value));
}

void GroupAdvisor::check_nodes() {
  for (const auto& device : group_.devices.value_or(std::vector<config::DeviceEntrySpec>{})) {
    const auto& permissions = device.permissions;
    if (!permissions || permissions->value.find_first_of("rw") != std::string::npos) continue;
    warn(*permissions, 0,
         fmt::format("a container cannot open the device: '{}' allows neither reading nor writing",
                     permissions->value),
         "write rw, r or w; m also allows the container to create the node");
  }
  for (const config::MountSpec& mount : group_.mounts) {
    if (is_node_variable(mount.host_path.value)) warn_of_mounted_node(mount.host_path);
  }
  check_class();
}

/// Warns about a subsystem whose devices have no node.
void GroupAdvisor::check_class() {
  const DeviceClass device = device_class(group_.match);
  const std::string_view other = subsystem_of_nodes(device.subsystem);
  if (kind_ != RuleKind::subsystem || other.empty() || !has_no_devices() || group_.by) return;
  diagnostics_.warning(
      group_.match.find(Fact::subsystem)->at,
      fmt::format("a container gets nothing of this group: devices of subsystem '{}' have no node",
                  device.subsystem),
      fmt::format("write subsystem: {}", other));
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

void GroupAdvisor::check_id() {
  if (!group_.id || group_.by || matches_single_device(group_.match)) return;
  static const re2::RE2 variable(R"(\$\(([^():]+))");
  const std::string& written = group_.id->value;
  re2::StringPiece rest(written);
  re2::StringPiece name;
  size_t count = 0;
  while (re2::RE2::FindAndConsume(&rest, variable, &name)) {
    if (!is_of_a_model({name.data(), name.size()})) return;
    ++count;
  }
  if (count == 0) return;
  warn(*group_.id, 0,
       fmt::format("'id: {}' is the same text for all devices of a model: units with the same id "
                   "are not offered",
                   written),
       "add a variable that differs: $(usb.serial), $(usb.socket), $(pci.address) or $(name); or, "
       "if a node has only one device, by: NAME, size: 1");
}

}  // namespace

void warn_of_group(const config::GroupSpec& group, config::Diagnostics& diagnostics) {
  GroupAdvisor(group, diagnostics).advise();
}

}  // namespace patchbay::rules
