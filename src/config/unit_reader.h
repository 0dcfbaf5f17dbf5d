#pragma once

#include "config/map_reader.h"
#include "config/match_reader.h"
#include "config/spec.h"

/// Reads what makes units of devices: their further members, and how they are shared.
namespace patchbay::config {

template <>
inline constexpr ValueType kValueType<std::vector<MemberSpec>> = ValueType::members;
template <>
inline constexpr ValueType kValueType<ShareSpec> = ValueType::share;

/// A member that could not be read is there by its name, with a match that is broken: what a
/// template says of it is no further mistake.
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<MemberSpec>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, ShareSpec& out,
                Diagnostics& diagnostics);

[[nodiscard]] std::vector<BlockInfo> unit_blocks();

}  // namespace patchbay::config
