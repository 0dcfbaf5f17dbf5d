#pragma once

#include "config/map_reader.h"
#include "config/spec.h"

/// The readers of the values in a resource, one section for each file: match_reader.cpp,
/// step_reader.cpp, unit_reader.cpp, health_reader.cpp, cdi_reader.cpp, dra_reader.cpp and
/// group_reader.cpp. For each type, kValueType names the kind of value, and read_value() reads it:
/// see value_reader.h.
namespace patchbay::config {

template <>
inline constexpr ValueType kValueType<ConditionSpec> = ValueType::condition;
template <>
inline constexpr ValueType kValueType<std::vector<ConditionSpec>> = ValueType::condition;
template <>
inline constexpr ValueType kValueType<std::vector<NamedConditionSpec>> =
    ValueType::named_conditions;
template <>
inline constexpr ValueType kValueType<std::vector<MatchSpec>> = ValueType::blocks;
template <>
inline constexpr ValueType kValueType<MatchSpec> = ValueType::match;

bool read_value(const YamlNode& node, const KeyInfo& info, ConditionSpec& out,
                Diagnostics& diagnostics);
/// Reads `not`, whose value is a single condition: `out` gets at most one item.
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<ConditionSpec>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<NamedConditionSpec>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<MatchSpec>& out,
                Diagnostics& diagnostics);
/// Reads a match, a `when`, or a block in one of them. `info` determines the valid keys.
bool read_value(const YamlNode& node, const KeyInfo& info, MatchSpec& out,
                Diagnostics& diagnostics);

[[nodiscard]] std::vector<BlockInfo> match_blocks();
/// The block of a `when`. The `any`, `all` and `except` of a `when` have the same block.
[[nodiscard]] BlockInfo when_block();

template <>
inline constexpr ValueType kValueType<std::vector<StepSpec>> = ValueType::steps;

/// Reads `preStart` or `release`. The `kind` of each step is its only key, such as `exec`.
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<StepSpec>& out,
                Diagnostics& diagnostics);

[[nodiscard]] std::vector<BlockInfo> step_blocks();

template <>
inline constexpr ValueType kValueType<std::vector<MemberSpec>> = ValueType::members;
template <>
inline constexpr ValueType kValueType<ShareSpec> = ValueType::share;

/// Reads `members`. An unreadable member is kept, with MatchSpec::broken set. So templates that use
/// the name of the member cause no further errors.
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<MemberSpec>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, ShareSpec& out,
                Diagnostics& diagnostics);

[[nodiscard]] std::vector<BlockInfo> unit_blocks();

template <>
inline constexpr ValueType kValueType<std::vector<ProbeSpec>> = ValueType::health;

/// Reads `health`. Each probe has one key that names its `kind`, such as `open`, and option keys,
/// such as `period`.
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<ProbeSpec>& out,
                Diagnostics& diagnostics);

[[nodiscard]] std::vector<BlockInfo> health_blocks();

template <>
inline constexpr ValueType kValueType<CdiSpec> = ValueType::cdi;

bool read_value(const YamlNode& node, const KeyInfo& info, CdiSpec& out, Diagnostics& diagnostics);

template <>
inline constexpr ValueType kValueType<DraSpec> = ValueType::fields;
template <>
inline constexpr ValueType kValueType<GroupDraSpec> = ValueType::group_dra;
template <>
inline constexpr ValueType kValueType<std::vector<AttributeSpec>> = ValueType::attributes;

/// Reads `dra` of a file. Keeps it without a driver if that is invalid, so that no errors follow
/// for resources that need it.
bool read_value(const YamlNode& node, const KeyInfo& info, std::optional<DraSpec>& out,
                Diagnostics& diagnostics);
/// Reads `dra` of a resource or group.
bool read_value(const YamlNode& node, const KeyInfo& info, GroupDraSpec& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<AttributeSpec>& out,
                Diagnostics& diagnostics);

[[nodiscard]] std::vector<BlockInfo> dra_blocks();

/// Reads the entries of {name: …} with `read_entry(entry, info of the entry)`.
template <typename ReadEntry>
bool read_named(const YamlNode& node, const KeyInfo& info, Empty empty_values,
                Diagnostics& diagnostics, ReadEntry read_entry) {
  if (node.kind != YamlNode::Kind::mapping) {
    return report_type(node, "a mapping (name: value)", info.name, diagnostics);
  }
  bool ok = true;
  for (const YamlEntry& entry : node.entries) {
    const KeyInfo named{
        .name = entry.key.value, .about = {}, .may_be_empty = empty_values == Empty::allowed};
    if (report_empty_name(entry, info, diagnostics) ||
        report_empty(entry.value, named, diagnostics) || !read_entry(entry, named)) {
      ok = false;
    }
  }
  return ok;
}

template <>
inline constexpr ValueType kValueType<std::vector<DeviceEntrySpec>> = ValueType::devices;
template <>
inline constexpr ValueType kValueType<std::vector<MountSpec>> = ValueType::mounts;
template <>
inline constexpr ValueType kValueType<std::vector<EnvSpec>> = ValueType::envs;
template <>
inline constexpr ValueType kValueType<std::vector<AnnotationSpec>> = ValueType::annotations;

bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<DeviceEntrySpec>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<MountSpec>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<EnvSpec>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<AnnotationSpec>& out,
                Diagnostics& diagnostics);

/// Reads the groups of the resource at position `at`: `groups`, and the group keys that the
/// resource itself has. Without `groups`, the keys of the resource make a single group. With
/// `groups`, each of these keys is copied into the groups that lack the key.
void read_groups(MapReader& map, const Position& at, std::vector<GroupSpec>& out,
                 Diagnostics& diagnostics);

/// The key `groups` of a resource.
[[nodiscard]] KeyInfo groups_key();
[[nodiscard]] std::vector<BlockInfo> group_blocks();

}  // namespace patchbay::config
