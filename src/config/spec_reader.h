#pragma once

#include <memory>

#include "config/diagnostics.h"
#include "config/spec.h"

namespace patchbay::config {

/// Limits for one file (design.md, Security).
inline constexpr size_t kMaxFileBytes = size_t{1} << 20U;
inline constexpr int kMaxDepth = 32;
inline constexpr int kMaxNodes = 10'000;  ///< After the expansion of aliases.

/// Reads one file of patchbay/v1 and reports every mistake of its shape. These are unknown and
/// duplicate keys, wrong types, empty values, tags, `<<`, a second document and invalid UTF-8.
/// After errors it returns the readable part, so that compiling finds more mistakes. Do not serve
/// it unless diagnostics.ok().
[[nodiscard]] Spec read_spec(const std::shared_ptr<const Source>& source, Diagnostics& diagnostics);

}  // namespace patchbay::config
