#pragma once

#include <vector>

#include "config/diagnostics.h"
#include "rules/template.h"

namespace patchbay::rules {

/// Compiles `exec`: a program, which is the same for every device, and its arguments. Empty if
/// something is wrong; every mistake is reported.
[[nodiscard]] std::vector<Template> compile_program(
    const std::vector<config::Located<std::string>>& arguments, const TemplateRules& rules,
    config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
