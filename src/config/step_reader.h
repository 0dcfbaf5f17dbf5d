#pragma once

#include "config/map_reader.h"
#include "config/spec.h"

/// Reads `preStart`: the steps before a container starts.
namespace patchbay::config {

template <>
inline constexpr ValueType kValueType<std::vector<StepSpec>> = ValueType::pre_start;

/// Each step has exactly one step key as its `kind`, and the values of that key.
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<StepSpec>& out,
                Diagnostics& diagnostics);

[[nodiscard]] std::vector<BlockInfo> step_blocks();

}  // namespace patchbay::config
