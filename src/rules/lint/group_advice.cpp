#include <algorithm>
#include <array>
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
#include "rules/plan/static_names.h"
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

/// The offset of the variable if it must have a value: it is not a fallback and has none.
size_t find_required(std::string_view text, const std::string& variable) {
  const std::string whole = "$(" + variable + ")";
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (depth == 0 && text.substr(i).starts_with(whole)) return i;
    if (text.substr(i).starts_with("$(")) ++depth;
    if (text[i] == ')' && depth > 0) --depth;
  }
  return std::string_view::npos;
}

class GroupAdvisor {
 public:
  GroupAdvisor(const config::GroupSpec& group, config::Diagnostics& diagnostics)
      : group_(group), diagnostics_(diagnostics), kind_(Matcher::kind_of(group.match)) {}

  void advise() {
    check_types();
    check_nodes();
    check_id();
    check_absent();
    check_gpio();
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
  [[nodiscard]] std::vector<const Text*> texts() const;
  void warn_of_mounted_node(const Text& path);
  void check_types();
  void check_directory();
  void check_class();
  void check_nodes();
  void check_id();
  void check_absent();
  void check_gpio();

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
  if (kind_ != RuleKind::subsystem || !is_without_nodes(device.subsystem)) return;
  const std::string_view other = subsystem_of_nodes(device.subsystem);
  if (has_no_devices() && !other.empty() && !group_.by) {
    diagnostics_.warning(
        group_.match.find(Fact::subsystem)->at,
        fmt::format("a container gets nothing of this group: devices of subsystem '{}' have no "
                    "node",
                    device.subsystem),
        fmt::format("write subsystem: {}", other));
  }
  for (const Text* text : texts()) {
    const size_t at = find_required(text->value, "devnode");
    if (at == std::string_view::npos) continue;
    warn(*text, at,
         fmt::format("each device is rejected: devices of subsystem '{}' have no $(devnode)",
                     device.subsystem),
         other.empty()
             ? "remove it, or find the device that has the node as one of members:"
             : fmt::format("write subsystem: {}, or find the node as one of members:", other));
  }
}

/// All texts in which a variable without a value causes the device to be rejected.
std::vector<const Text*> GroupAdvisor::texts() const {
  std::vector<const Text*> out;
  if (group_.id) out.push_back(&*group_.id);
  if (group_.devices) {
    for (const auto& device : *group_.devices) {
      out.push_back(&device.host_path);
      if (device.container_path) out.push_back(&*device.container_path);
    }
  }
  for (const config::MountSpec& mount : group_.mounts) {
    out.push_back(&mount.host_path);
    if (mount.container_path) out.push_back(&*mount.container_path);
  }
  for (const config::EnvSpec& env : group_.envs) out.push_back(&env.value);
  for (const config::AnnotationSpec& annotation : group_.annotations) {
    out.push_back(&annotation.value);
  }
  return out;
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

/// `usb: {serial: {exists: false}}` beside $(usb.serial).
void GroupAdvisor::check_absent() {
  for (const config::FactConditionSpec& condition : group_.match.conditions) {
    const auto& exists = condition.condition.exists;
    if (!exists || exists->value) continue;
    const FactInfo& fact = info(condition.fact);
    const std::string variable = fact.has_argument
                                     ? fmt::format("{}.{}", fact.word, condition.name.value)
                                     : std::string(fact.word);
    auto all = texts();
    if (group_.by) all.push_back(&*group_.by);
    for (const Text* text : all) {
      const size_t at = find_required(text->value, variable);
      if (at == std::string_view::npos) continue;
      warn(*text, at,
           fmt::format("each device is rejected: 'match' selects devices without a {}, so $({}) "
                       "has no value",
                       fact.has_argument ? condition.name.value : std::string(fact.word), variable),
           fmt::format("write another variable, or one with a fallback: $({}:-none)", variable));
    }
  }
}

/// The old class of the same name has devices without a node.
void GroupAdvisor::check_gpio() {
  const auto& match = group_.match;
  if (device_class(match).subsystem != "gpio" || !has_no_devices()) return;
  constexpr std::array kDistinguishing{Fact::devnode, Fact::property, Fact::attribute, Fact::link};
  const auto distinguishes = [&](const config::FactConditionSpec& condition) {
    return std::ranges::find(kDistinguishing, condition.fact) != kDistinguishing.end();
  };
  if (std::ranges::any_of(match.conditions, distinguishes)) return;
  diagnostics_.warning(match.find(Fact::subsystem)->at,
                       "some devices of subsystem 'gpio' have no node: a container gets nothing "
                       "from them (/sys/class/gpio has a second device for each controller)",
                       R"(add devnode: "/dev/gpiochip*")");
}

}  // namespace

void warn_of_group(const config::GroupSpec& group, config::Diagnostics& diagnostics) {
  GroupAdvisor(group, diagnostics).advise();
}

}  // namespace patchbay::rules
