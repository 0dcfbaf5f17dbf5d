#pragma once

#include <memory>

#include "config/diagnostics.h"
#include "config/spec.h"

namespace patchbay::config {

/// Bounds on one file (design.md, Security).
inline constexpr size_t kMaxFileBytes = size_t{1} << 20U;
inline constexpr int kMaxDepth = 32;
inline constexpr int kMaxNodes = 10'000;  ///< After aliases are followed.

/// Reads one file of patchbay/v1. Every mistake of shape is reported: unknown and duplicate keys,
/// wrong types, empty values, tags, `<<`, a second document, bytes that are not UTF-8. What was
/// readable is returned also when there were errors, so that compiling can find more of them; it
/// must not be used to serve anything unless diagnostics.ok().
[[nodiscard]] Spec read_spec(const std::shared_ptr<const Source>& source, Diagnostics& diagnostics);

}  // namespace patchbay::config
