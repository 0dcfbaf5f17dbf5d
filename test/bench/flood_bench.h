#pragma once

#include <string>

namespace patchbay::bench {

/// Measures another resource's Allocate during floods, and the peak memory.
void measure_floods(const std::string& binary);
/// The same during floods of the HTTP port by 1 and by 200 connections.
void measure_http_floods(const std::string& binary);

}  // namespace patchbay::bench
