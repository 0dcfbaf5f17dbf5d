#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/diagnostics.h"

namespace patchbay::config {

/// The size limit of Kubernetes manifests, which contain more than configurations.
inline constexpr size_t kMaxManifestBytes = size_t{16} << 20U;

/// The name of standard input as a Source.
inline constexpr const char* kStandardInput = "<stdin>";

/// Reads the files of `paths` in order.
///
/// - A directory means its *.yaml and *.yml files without a leading dot, in lexical order. This
/// includes a mounted ConfigMap: the keys are links to files, and the ..data link is skipped.
///
/// - "-" is standard input.
///
/// Errors name the path and the cause: missing, unreadable, not a regular file, larger than
/// kMaxFileBytes (manifests: kMaxManifestBytes), or a directory without a YAML file.
[[nodiscard]] Result<std::vector<std::shared_ptr<const Source>>> load_sources(
    std::span<const std::string> paths);

}  // namespace patchbay::config
