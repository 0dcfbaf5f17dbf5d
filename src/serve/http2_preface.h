#pragma once

#include <string_view>

namespace patchbay::serve {

/// The first bytes of an HTTP/2 client, sent immediately after it connects.
inline constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

}  // namespace patchbay::serve
