#pragma once

#include <string>
#include <string_view>

#include "config/keys.h"
#include "config/yaml_tree.h"

/// What to write where a value has another shape than is expected: text for a list, a list for a
/// mapping, …
namespace patchbay::config {

/// Of a value of the key or block `name`; made of what was written, where that tells what was
/// meant. Never empty.
[[nodiscard]] std::string shape_hint(std::string_view name, const YamlNode& node);

/// The same, where the key's own example helps.
[[nodiscard]] std::string shape_hint(const KeyInfo& info, const YamlNode& node);

/// A right value of the block, as YAML in one line.
[[nodiscard]] std::string example_of(std::string_view block);

}  // namespace patchbay::config
