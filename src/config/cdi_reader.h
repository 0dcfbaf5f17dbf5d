#pragma once

#include "config/map_reader.h"
#include "config/spec.h"

/// Reads the key `cdi`, which passes devices to the container through the Container Device
/// Interface.
namespace patchbay::config {

template <>
inline constexpr ValueType kValueType<CdiSpec> = ValueType::cdi;

bool read_value(const YamlNode& node, const KeyInfo& info, CdiSpec& out, Diagnostics& diagnostics);

}  // namespace patchbay::config
