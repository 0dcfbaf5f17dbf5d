#pragma once

#include <vector>

#include "config/diagnostics.h"
#include "rules/text/template.h"

namespace patchbay::rules {

/// Compiles `exec`: a program, which is the same for every device, and its arguments. Returns an
/// empty list after a mistake. Every mistake is reported.
[[nodiscard]] std::vector<Template> compile_program(
    const std::vector<config::Located<std::string>>& arguments, const TemplateRules& rules,
    config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
