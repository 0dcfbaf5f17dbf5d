#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/diagnostics.h"

namespace patchbay::config {

/// Reads the files that `paths` name, in order: a file is itself; a directory is its *.yaml and
/// *.yml files without a leading dot, in lexical order (a mounted ConfigMap is one: its ..data link
/// is skipped, its keys are links to files). Errors say which path and why: missing, unreadable, no
/// regular file, larger than kMaxFileBytes, a directory without a YAML file.
[[nodiscard]] Result<std::vector<std::shared_ptr<const Source>>> load_sources(
    std::span<const std::string> paths);

}  // namespace patchbay::config
