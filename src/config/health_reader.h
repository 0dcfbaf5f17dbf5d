#pragma once

#include "config/map_reader.h"
#include "config/match_reader.h"
#include "config/spec.h"

/// Reads the keys of a unit's health: probes, their options, and `flap`.
namespace patchbay::config {

template <>
inline constexpr ValueType kValueType<ProbeOptionsSpec> = ValueType::probe;
template <>
inline constexpr ValueType kValueType<std::vector<ProbeSpec>> = ValueType::health;
template <>
inline constexpr ValueType kValueType<FlapSpec> = ValueType::flap;

bool read_value(const YamlNode& node, const KeyInfo& info, ProbeOptionsSpec& out,
                Diagnostics& diagnostics);
/// Each probe has exactly one probe key as its `kind`, and the values of that key.
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<ProbeSpec>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, FlapSpec& out, Diagnostics& diagnostics);

[[nodiscard]] std::vector<BlockInfo> health_blocks();

}  // namespace patchbay::config
