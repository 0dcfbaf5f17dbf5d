#pragma once

#include "config/map_reader.h"
#include "config/match_reader.h"
#include "config/spec.h"

/// Reads nested keys of a group: `preStart`, members and shares, probes, and `cdi`. The
/// last one passes devices to the container through the Container Device Interface.
namespace patchbay::config {

template <>
inline constexpr ValueType kValueType<std::vector<StepSpec>> = ValueType::pre_start;

/// Each step has exactly one step key as its `kind`, and the values of that key.
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<StepSpec>& out,
                Diagnostics& diagnostics);

[[nodiscard]] std::vector<BlockInfo> step_blocks();

template <>
inline constexpr ValueType kValueType<std::vector<MemberSpec>> = ValueType::members;
template <>
inline constexpr ValueType kValueType<ShareSpec> = ValueType::share;

/// An unreadable member is kept with a broken match, so that templates with its name cause no
/// further mistakes.
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<MemberSpec>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, ShareSpec& out,
                Diagnostics& diagnostics);

[[nodiscard]] std::vector<BlockInfo> unit_blocks();

template <>
inline constexpr ValueType kValueType<std::vector<ProbeSpec>> = ValueType::health;

/// Each probe has exactly one probe key as its `kind`, and the values of that key.
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<ProbeSpec>& out,
                Diagnostics& diagnostics);

[[nodiscard]] std::vector<BlockInfo> health_blocks();

template <>
inline constexpr ValueType kValueType<CdiSpec> = ValueType::cdi;

bool read_value(const YamlNode& node, const KeyInfo& info, CdiSpec& out, Diagnostics& diagnostics);

}  // namespace patchbay::config
