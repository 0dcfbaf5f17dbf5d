#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/diagnostics.h"

namespace patchbay::config {

/// The size limit of Kubernetes manifests, which contain more than configurations.
inline constexpr size_t kMaxManifestBytes = size_t{16} << 20U;

/// The name of standard input as a Source.
inline constexpr const char* kStandardInput = "<stdin>";

/// The limit for the files of a directory.
inline constexpr size_t kMaxFiles = 256;

/// Whether a file with this name in a directory is read.
[[nodiscard]] bool is_source_name(std::string_view name);

/// Reads the files of `paths` in order.
///
/// - A directory means its *.yaml and *.yml files without a leading dot, in lexical order. This
/// includes a mounted ConfigMap: the keys are links to files, and the ..data link is skipped.
///
/// - "-" is standard input.
///
/// Errors name the path and the cause: missing, unreadable, not a regular file, larger than
/// kMaxFileBytes (manifests: kMaxManifestBytes), or a directory without a YAML file. A directory
/// with more than kMaxFiles files is an error, and none of them is read.
[[nodiscard]] Result<std::vector<std::shared_ptr<const Source>>> load_sources(
    std::span<const std::string> paths);

}  // namespace patchbay::config
