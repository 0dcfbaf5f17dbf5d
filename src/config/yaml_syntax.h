#pragma once

#include <memory>

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>

#include "config/diagnostics.h"
#include "config/yaml_builder.h"
#include "config/yaml_text.h"

namespace patchbay::config {

/// Converts a position of the YAML parser, which is 0-based and can be beyond the end of the text.
[[nodiscard]] Location location_of(const std::shared_ptr<const Source>& source,
                                   const YAML::Mark& mark);

/// Reports a syntax error of the YAML parser. The message is our own. Its position is that of the
/// most likely cause.
void report_syntax(const YAML::Exception& exception, const std::shared_ptr<const Source>& source,
                   const YamlBuilder& builder, Diagnostics& diagnostics);

}  // namespace patchbay::config
