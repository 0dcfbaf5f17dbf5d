#pragma once

#include <string_view>

namespace patchbay {

/// Writes the whole text, however long that takes, even if other users of the open file have made
/// it non-blocking. Returns 0, or the errno of the failure.
int write_all(int fd, std::string_view text);

}  // namespace patchbay
