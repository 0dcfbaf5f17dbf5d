#pragma once

#include "config/map_reader.h"
#include "config/match_reader.h"
#include "config/spec.h"

/// Reads the keys that combine devices into units: members, and shares.
namespace patchbay::config {

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

}  // namespace patchbay::config
