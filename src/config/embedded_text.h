#pragma once

#include <memory>
#include <string>

#include "config/diagnostics.h"
#include "config/yaml_tree.h"

namespace patchbay::config {

/// Returns a configuration that is embedded as a text in another YAML file, as a separate Source.
/// The text of a literal block (`|`) keeps its lines, its columns and the name of the file. For
/// that the other lines become empty lines. Any other text has its own line numbers, and `place` is
/// its name.
[[nodiscard]] std::shared_ptr<const Source> embedded_source(
    const std::shared_ptr<const Source>& outer, const YamlNode& text, const std::string& name);

}  // namespace patchbay::config
