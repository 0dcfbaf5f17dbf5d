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

/// The size limit of a file with Kubernetes manifests.
inline constexpr size_t kMaxManifestBytes = size_t{16} << 20U;

/// Source::name of standard input.
inline constexpr const char* kStandardInput = "<stdin>";

/// The maximum number of YAML files in a directory.
inline constexpr size_t kMaxFiles = 256;

/// Whether load_sources() reads a file with this name in a directory.
[[nodiscard]] bool is_source_name(std::string_view name);

/// Reads the files of `paths` in order. Blocks.
///
/// - From a directory it reads the *.yaml and *.yml files without a leading dot, in lexical order.
/// All files of a mounted ConfigMap are from the same version of the ConfigMap.
///
/// - "-" is standard input.
///
/// An Error names the path and the cause. A file must be regular, and not larger than kMaxFileBytes
/// (with manifests: kMaxManifestBytes). A directory must have 1 to kMaxFiles YAML files.
[[nodiscard]] Result<std::vector<std::shared_ptr<const Source>>> load_sources(
    std::span<const std::string> paths);

}  // namespace patchbay::config
