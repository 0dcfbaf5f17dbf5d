#pragma once

#include <chrono>
#include <string>

namespace patchbay {

/// A length of time as the configuration writes it: "100ms", "2s", "1h30m".
[[nodiscard]] std::string duration_text(std::chrono::milliseconds duration);

}  // namespace patchbay
