#pragma once

#include <memory>

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>

#include "config/diagnostics.h"
#include "config/yaml_builder.h"
#include "config/yaml_text.h"

namespace patchbay::config {

/// The parser's marks are 0-based bytes, and can be beyond the end.
[[nodiscard]] Location location_of(const std::shared_ptr<const Source>& source,
                                   const YAML::Mark& mark);

/// Reports the syntax error in Patchbay's words, at its most likely cause.
void report_syntax(const YAML::Exception& exception, const std::shared_ptr<const Source>& source,
                   const YamlBuilder& builder, Diagnostics& diagnostics);

}  // namespace patchbay::config
