#pragma once

#include <memory>

#include "config/diagnostics.h"
#include "config/spec.h"

namespace patchbay::config {

/// Limits for one file.
inline constexpr size_t kMaxFileBytes = size_t{1} << 20U;
inline constexpr int kMaxDepth = 32;
inline constexpr int kMaxNodes = 10'000;  ///< After the expansion of aliases.

/// Reads one file of patchbay/v1. Reports unknown and duplicate keys, wrong types, empty values,
/// YAML tags, `<<`, a second document and invalid UTF-8. After errors, returns the readable part,
/// so that rules::compile() can find more mistakes. If diagnostics.ok() is false, do not use the
/// compiled plan.
[[nodiscard]] Spec read_spec(const std::shared_ptr<const Source>& source, Diagnostics& diagnostics);

}  // namespace patchbay::config
