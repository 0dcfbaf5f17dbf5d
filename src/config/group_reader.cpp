#include <array>

#include <fmt/format.h>

#include "config/part_readers.h"

namespace patchbay::config {
namespace {

constexpr std::array kDeviceKeys = {
    key<&DeviceEntrySpec::host_path>(
        "hostPath", "The device node on the host.",
        {.example = "$(devnode)", .requirement = Requirement::required}),
    key<&DeviceEntrySpec::container_path>("containerPath",
                                          "The path in the container. Default: the host's path.",
                                          {.example = "/dev/uart$(slot)"}),
    key<&DeviceEntrySpec::permissions>("permissions", "Any of r, w and m.",
                                       {.example = "r", .default_value = "rw"}),
    key<&DeviceEntrySpec::mode>("mode", "The node's file mode in the container. Needs cdi: write.",
                                {.example = R"("0660")", .type = ValueType::file_mode}),
    key<&DeviceEntrySpec::uid>("uid", "The numeric user id of the node's owner. Needs cdi: write.",
                               {.example = "1000", .type = ValueType::number}),
    key<&DeviceEntrySpec::gid>("gid", "The numeric group id of the node's owner. Needs cdi: write.",
                               {.example = "20", .type = ValueType::number}),
    key<&DeviceEntrySpec::links>("links",
                                 "Whether the container also gets each udev link of the node.",
                                 {.example = "true", .default_value = "false"}),
    key<&DeviceEntrySpec::optional>("optional",
                                    "Whether the entry is skipped if the path does not exist.",
                                    {.example = "true", .default_value = "false"})};

constexpr std::array kMountKeys = {
    key<&MountSpec::host_path>("hostPath", "The path on the host.",
                               {.example = "/opt/lab/lib", .requirement = Requirement::required}),
    key<&MountSpec::container_path>("containerPath",
                                    "The path in the container. Default: the host's path.",
                                    {.example = "/usr/local/lab"}),
    key<&MountSpec::read_only>("readOnly", "Whether the mount is read-only.",
                               {.example = "false", .default_value = "true"}),
    key<&MountSpec::optional>("optional",
                              "Whether the entry is skipped if the path does not exist.",
                              {.example = "true", .default_value = "false"})};

constexpr std::array kEnvKeys = {
    key<&EnvSpec::value>("value", "The variable's value, rendered for each unit.",
                         {.example = "$(usb.serial)",
                          .requirement = Requirement::required,
                          .empty = Empty::allowed}),
    key<&EnvSpec::join>("join", "The separator between the values of several units.",
                        {.example = R"(" ")", .default_value = R"(",")", .empty = Empty::allowed})};

constexpr KeyInfo kGroups{.name = "groups",
                          .about = "Several groups, each with its own match.",
                          .example = "[{match: {subsystem: tty}}, {match: {glob: /dev/line*}}]",
                          .type = ValueType::groups};

/// `when` of a group in a list. A resource with one group has its own `when`.
constexpr std::array kWhenKey = {key<&GroupSpec::when>(
    "when", "The nodes on which the group applies.",
    {.example = R"({file: {/sys/class/dmi/id/sys_vendor: "Dell*"}})", .type = ValueType::when})};

/// The keys that make the units of one group. They are invalid beside `groups`.
constexpr std::array kUnitKeys = {
    key<&GroupSpec::match>("match", "The devices that become units.",
                           {.example = R"({subsystem: tty, usb: {vendor: "0403"}})",
                            .requirement = Requirement::required}),
    key<&GroupSpec::by>("by", "A template: devices with the same text form one unit.",
                        {.example = "$(pci.address)"}),
    key<&GroupSpec::size>("size", "With by: the number of matched devices in a unit.",
                          {.example = "2", .default_value = "1+", .type = ValueType::size}),
    key<&GroupSpec::members>(
        "members", "With by: further devices that join a unit, each under a name.",
        {.example = R"({render: {match: {subsystem: drm, name: "renderD*"}}})"}),
    key<&GroupSpec::expect>("expect", "The number of healthy units that a node should have.",
                            {.example = "4", .type = ValueType::number})};

/// Beside `groups`, these keys are the values for groups that lack them.
constexpr std::array kGroupKeys = {
    key<&GroupSpec::id>("id",
                        "The unit's id, which stays the same while the device keeps its location.",
                        {.example = "$(usb.serial)"}),
    key<&GroupSpec::share>("share", "The number of times that a unit is listed.",
                           {.example = "{count: 4}"}),
    key<&GroupSpec::devices>(
        "devices", "The device nodes that the container gets.",
        {.example = "[/dev/kfd, {hostPath: $(devnode), containerPath: /dev/uart$(slot)}]"}),
    key<&GroupSpec::mounts>("mounts", "The host paths that are mounted into the container.",
                            {.example = "[{hostPath: /opt/lab/lib}]"}),
    key<&GroupSpec::envs>(
        "envs", "Environment variables of the container, by name.",
        {.example = R"({SERIALS: $(usb.serial), NAMES: {value: $(name), join: " "}})"}),
    key<&GroupSpec::annotations>("annotations", "Annotations for the container runtime, by name.",
                                 {.example = "{lab.example.com/bench: $(node)}"}),
    key<&GroupSpec::cdi>("cdi", "write: devices and mounts through CDI; or names of CDI devices.",
                         {.example = "[nvidia.com/gpu=$(id)]"}),
    key<&GroupSpec::health>("health", "Probes: a unit is healthy while all of them pass.",
                            {.example = "[{open: $(devnode)}, {tcp: \"$(name):5025\"}]"}),
    key<&GroupSpec::pre_start>("preStart",
                               "The steps that run before a container starts, in order.",
                               {.example = "[{usbReset: true}, {wait: {path: $(devnode)}}]"}),
    key<&GroupSpec::release>("release",
                             "With serve: dra: the steps that run when a ResourceClaim ends.",
                             {.example = "[{exec: [/hooks/wipe.sh, $(devnode)]}]"}),
    key<&GroupSpec::dra>("dra", "With serve: dra: more attributes of the devices.",
                         {.example = "{attributes: {serial: $(usb.serial)}}"})};

bool read_device(const YamlNode& node, DeviceEntrySpec& out, Diagnostics& diagnostics) {
  out.at = node.at;
  if (node.kind == YamlNode::Kind::scalar) {
    out.host_path = {node.text, node.at};
    return true;
  }
  if (node.kind == YamlNode::Kind::sequence) {
    return report_type(node, "text or a mapping", "device", diagnostics);
  }
  MapReader map(node, "device", diagnostics);
  map.read(kDeviceKeys, out);
  map.require(kDeviceKeys);
  return map.finish();
}

bool read_mount(const YamlNode& node, MountSpec& out, Diagnostics& diagnostics) {
  out.at = node.at;
  MapReader map(node, "mount", diagnostics, "such as {hostPath: /opt/lab/lib}");
  map.read(kMountKeys, out);
  map.require(kMountKeys);
  return map.finish();
}

bool read_env(const YamlNode& node, const KeyInfo& info, EnvSpec& out, Diagnostics& diagnostics) {
  if (node.kind == YamlNode::Kind::sequence) {
    return report_type(node, "text or a mapping", info.name, diagnostics,
                       "write one text for each unit; join is the separator between several");
  }
  if (node.kind == YamlNode::Kind::scalar) return read_value(node, info, out.value, diagnostics);
  MapReader map(node, "env", diagnostics);
  map.read(kEnvKeys, out);
  map.require(kEnvKeys);
  return map.finish();
}

/// Returns false if there is no usable group. Mistakes in parts of it can already be reported.
bool read_group(const YamlNode& node, const GroupSpec& shared, GroupSpec& out,
                Diagnostics& diagnostics) {
  out.at = node.at;
  MapReader map(node, "group", diagnostics);
  map.read(kWhenKey, out);
  map.read(kUnitKeys, out);
  map.read(kGroupKeys, out);
  map.require(kUnitKeys);
  for (const auto& k : kGroupKeys) {
    if (!map.has(k.info.name)) k.copy(shared, out);
  }
  static_cast<void>(map.finish());
  return map.usable();
}

}  // namespace

bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<DeviceEntrySpec>& out,
                Diagnostics& diagnostics) {
  return read_items(list_items(node, info, diagnostics), out,
                    [&](const YamlNode& item, DeviceEntrySpec& device) {
                      return read_device(item, device, diagnostics);
                    });
}

bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<MountSpec>& out,
                Diagnostics& diagnostics) {
  return read_items(
      list_items(node, info, diagnostics), out,
      [&](const YamlNode& item, MountSpec& mount) { return read_mount(item, mount, diagnostics); });
}

bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<EnvSpec>& out,
                Diagnostics& diagnostics) {
  const auto read_entry = [&](const YamlEntry& entry, const KeyInfo& named) {
    EnvSpec env{.name = entry.key, .value = {}, .join = {}};
    if (!read_env(entry.value, named, env, diagnostics)) return false;
    out.push_back(std::move(env));
    return true;
  };
  return read_named(node, info, Empty::allowed, diagnostics, read_entry);
}

bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<AnnotationSpec>& out,
                Diagnostics& diagnostics) {
  const auto read_entry = [&](const YamlEntry& entry, const KeyInfo& named) {
    AnnotationSpec annotation{.name = entry.key, .value = {}};
    if (!read_value(entry.value, named, annotation.value, diagnostics)) return false;
    out.push_back(std::move(annotation));
    return true;
  };
  return read_named(node, info, Empty::allowed, diagnostics, read_entry);
}

void read_groups(MapReader& map, const Position& at, std::vector<GroupSpec>& out,
                 Diagnostics& diagnostics) {
  GroupSpec own;
  own.at = at;
  map.read(kUnitKeys, own);
  map.read(kGroupKeys, own);
  const YamlNode* groups = map.take(kGroups);
  if (!map.has(kGroups.name)) {
    map.require(kUnitKeys);
    out.push_back(std::move(own));
    return;
  }
  for (const auto& k : kUnitKeys) {
    if (!map.has(k.info.name)) continue;
    diagnostics.error(
        map.at(k.info.name), fmt::format("'{}' beside 'groups'", k.info.name),
        fmt::format("each group has its own {}: move this one into a group", k.info.name));
  }
  if (groups == nullptr) return;
  for (const YamlNode* item : filled_list(*groups, kGroups, diagnostics).nodes) {
    GroupSpec group;
    if (read_group(*item, own, group, diagnostics)) out.push_back(std::move(group));
  }
}

KeyInfo groups_key() { return kGroups; }

std::vector<BlockInfo> group_blocks() {
  return {{"group", key_infos(kWhenKey, kUnitKeys, kGroupKeys)},
          {"device", key_infos(kDeviceKeys)},
          {"mount", key_infos(kMountKeys)},
          {"env", key_infos(kEnvKeys)}};
}

}  // namespace patchbay::config
