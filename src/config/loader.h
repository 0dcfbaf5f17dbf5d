#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/diagnostics.h"

namespace patchbay::config {

/// Of Kubernetes manifests, which hold more than configurations.
inline constexpr size_t kMaxManifestBytes = size_t{16} << 20U;

/// What standard input is called, as a Source.
inline constexpr const char* kStandardInput = "<stdin>";

/// Reads the files that `paths` name, in order: a file is itself; a directory is its *.yaml and
/// *.yml files without a leading dot, in lexical order (a mounted ConfigMap is one: its ..data link
/// is skipped, its keys are links to files); "-" is standard input. Errors say which path and why:
/// missing, unreadable, no regular file, larger than kMaxFileBytes (manifests: kMaxManifestBytes),
/// a directory without a YAML file.
[[nodiscard]] Result<std::vector<std::shared_ptr<const Source>>> load_sources(
    std::span<const std::string> paths);

}  // namespace patchbay::config
