#pragma once

#include <chrono>
#include <string>

namespace patchbay {

/// A length of time as the configuration writes it: "1h30m", "2s", "1500ms".
[[nodiscard]] std::string duration_text(std::chrono::milliseconds duration);

}  // namespace patchbay
