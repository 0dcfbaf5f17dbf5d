#pragma once

#include <string>
#include <string_view>

#include "config/keys.h"
#include "config/yaml_tree.h"

/// Hints for values of the wrong shape, such as a text instead of a list, or a list instead of a
/// mapping.
namespace patchbay::config {

/// The hint for a value of the key or block `name`. It is made from the written value, if the
/// intention is clear. Never empty.
[[nodiscard]] std::string shape_hint(std::string_view name, const YamlNode& node);

/// The same, with the key's example as a fallback.
[[nodiscard]] std::string shape_hint(const KeyInfo& info, const YamlNode& node);

/// A valid value of the block, as YAML in one line.
[[nodiscard]] std::string example_of(std::string_view block);

}  // namespace patchbay::config
