#pragma once

#include <string>

#include "base/result.h"

/// Reads and writes small files. Blocks. An Error begins with the path and has the errno.
namespace patchbay::cli {

/// Reads a file. A file of more than 16 MiB is an Error.
[[nodiscard]] Result<std::string> read_text_file(const std::string& path);

/// Replaces a file atomically: a reader finds the old text or the whole new text.
[[nodiscard]] Result<void> replace_text_file(const std::string& path, const std::string& text);

}  // namespace patchbay::cli
