#pragma once

#include <map>
#include <string>

namespace patchbay::rules {

/// Named groups of the regexes that matched, for $(capture.NAME). Empty groups are omitted.
using Captures = std::map<std::string, std::string, std::less<>>;

}  // namespace patchbay::rules
