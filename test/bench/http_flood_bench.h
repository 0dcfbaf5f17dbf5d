#pragma once

#include <string>

namespace patchbay::bench {

/// Measures Allocate during floods of the HTTP port by 1 and by 200 connections, and the peak
/// memory.
void measure_http_floods(const std::string& binary);

}  // namespace patchbay::bench
