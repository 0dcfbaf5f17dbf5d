#pragma once

#include <vector>

#include "config/diagnostics.h"
#include "rules/text/template.h"

namespace patchbay::rules {

/// Compiles `exec`: a program and its arguments. The program must be the same for every device.
/// Reports every mistake. Returns an empty list after a mistake.
[[nodiscard]] std::vector<Template> compile_program(
    const std::vector<config::Located<std::string>>& arguments, const TemplateRules& rules,
    config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
