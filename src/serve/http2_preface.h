#pragma once

#include <string_view>

namespace patchbay::serve {

/// What a client of HTTP/2 sends first, at once when it is connected.
inline constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

}  // namespace patchbay::serve
