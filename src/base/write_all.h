#pragma once

#include <string_view>

namespace patchbay {

/// Writes the whole text, however long that takes: also where others who share the open file have
/// made it non-blocking. 0, or the errno that it ended with.
int write_all(int fd, std::string_view text);

}  // namespace patchbay
