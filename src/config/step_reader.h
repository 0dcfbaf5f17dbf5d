#pragma once

#include "config/map_reader.h"
#include "config/spec.h"

/// Reads `preStart`: what is done before a container starts.
namespace patchbay::config {

template <>
inline constexpr ValueType kValueType<std::vector<StepSpec>> = ValueType::pre_start;

/// Each that is read has one of the keys of a step, as its `kind`, and what that key needs.
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<StepSpec>& out,
                Diagnostics& diagnostics);

[[nodiscard]] std::vector<BlockInfo> step_blocks();

}  // namespace patchbay::config
