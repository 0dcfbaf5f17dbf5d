#pragma once

#include "config/map_reader.h"
#include "config/match_reader.h"
#include "config/part_readers.h"
#include "config/spec.h"

/// Reads groups: the rules of units and the settings of their containers.
namespace patchbay::config {

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

/// Reads the keys of the resource at position `at` that make its groups: `groups`, and the keys of
/// a single group. Beside `groups`, these keys are the values for groups that lack them.
void read_groups(MapReader& map, const Position& at, std::vector<GroupSpec>& out,
                 Diagnostics& diagnostics);

/// The key `groups` of a resource.
[[nodiscard]] KeyInfo groups_key();
[[nodiscard]] std::vector<BlockInfo> group_blocks();

}  // namespace patchbay::config
