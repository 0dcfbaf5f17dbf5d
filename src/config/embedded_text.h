#pragma once

#include <memory>
#include <string>

#include "config/diagnostics.h"
#include "config/yaml_tree.h"

namespace patchbay::config {

/// A configuration that is a text inside another YAML file, as a file of its own. Where its lines
/// stand there as they are (a literal block, `|`), they keep their places and the file its name:
/// all else is empty lines, and the indentation, which is the same for all, means nothing. Any
/// other text has lines of its own; then `name` is its name.
[[nodiscard]] std::shared_ptr<const Source> embedded_source(
    const std::shared_ptr<const Source>& outer, const YamlNode& text, const std::string& name);

}  // namespace patchbay::config
