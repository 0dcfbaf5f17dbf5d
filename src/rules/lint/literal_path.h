#pragma once

#include <optional>
#include <string_view>

#include "rules/lint/advice.h"
#include "rules/lint/spec_texts.h"

namespace patchbay::rules {

/// Advice for a path that is written as a pattern, or as Docker's HOST:CONTAINER:PERMISSIONS: it is
/// used literally. `role` is one of the roles of paths.
[[nodiscard]] std::optional<Advice> unlikely_path(std::string_view path, TextRole role);

}  // namespace patchbay::rules
