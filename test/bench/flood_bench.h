#pragma once

#include <string>

namespace patchbay::bench {

/// How long another resource's Allocate takes while one is flooded, and the most memory then.
void measure_floods(const std::string& binary);
/// The same while 1 and 200 connections flood the HTTP port.
void measure_http_floods(const std::string& binary);

}  // namespace patchbay::bench
