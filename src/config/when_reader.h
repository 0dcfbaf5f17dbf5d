#pragma once

#include "config/map_reader.h"
#include "config/match_reader.h"
#include "config/spec.h"

/// Reads `when`: on which nodes something is offered.
namespace patchbay::config {

template <>
inline constexpr ValueType kValueType<NodeConditionSpec> = ValueType::when;
template <>
inline constexpr ValueType kValueType<std::vector<NodeConditionSpec>> =
    ValueType::conditions_of_nodes;

bool read_value(const YamlNode& node, const KeyInfo& info, NodeConditionSpec& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<NodeConditionSpec>& out,
                Diagnostics& diagnostics);

/// The blocks of its `any` and `except` are this one, too.
[[nodiscard]] BlockInfo when_block();

}  // namespace patchbay::config
