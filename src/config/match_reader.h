#pragma once

#include "config/map_reader.h"
#include "config/spec.h"

/// Reads `match` and `when`, their blocks, and the conditions in them.
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
/// Reads `not`, which is one condition.
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<ConditionSpec>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<NamedConditionSpec>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<MatchSpec>& out,
                Diagnostics& diagnostics);
/// Reads a match, a `when`, or a block in them. `info` determines the valid keys.
bool read_value(const YamlNode& node, const KeyInfo& info, MatchSpec& out,
                Diagnostics& diagnostics);

[[nodiscard]] std::vector<BlockInfo> match_blocks();
/// The block of a `when`, which is also the block of its `any`, `all` and `except`.
[[nodiscard]] BlockInfo when_block();

}  // namespace patchbay::config
