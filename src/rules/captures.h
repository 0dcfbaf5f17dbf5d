#pragma once

#include <map>
#include <string>

namespace patchbay::rules {

/// Named groups of the regexes that matched: $(capture.NAME). Empty ones are left out.
using Captures = std::map<std::string, std::string, std::less<>>;

}  // namespace patchbay::rules
