#pragma once

#include <string_view>

namespace patchbay {

/// Writes the whole text, and blocks until it is written. Also blocks if another process has made
/// the open file non-blocking. Returns 0, or the errno of the failure.
int write_all(int fd, std::string_view text);

}  // namespace patchbay
