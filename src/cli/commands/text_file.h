#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "base/result.h"

/// Small files of the user. Blocking. An Error begins with the path and has the errno.
namespace patchbay::cli {

/// Reads a file. A longer file gives its first `most_bytes` bytes and at least one more.
[[nodiscard]] Result<std::string> read_text_file(
    const std::string& path, size_t most_bytes = std::numeric_limits<size_t>::max());

/// Replaces a file at once, so that no reader finds a part of the text.
[[nodiscard]] Result<void> replace_text_file(const std::string& path, const std::string& text);

}  // namespace patchbay::cli
