#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/facts.h"

/// What `sysfs:` patterns find. Any thread; blocking.
namespace patchbay::host {

/// By the canonical path of a directory, which patterns found it by which paths; sorted.
using SysfsListing = std::map<std::string, std::vector<FoundBy>>;
/// By pattern, why it does not find all that it matches; empty: it does. See walk_glob().
using PatternCuts = std::map<std::string, std::string>;

/// Adds to `cuts`, if that is asked for. `sysfs` is another directory than /sys in tests only.
[[nodiscard]] SysfsListing list_sysfs(const std::vector<std::string>& patterns,
                                      const std::string& sysfs = "/sys",
                                      PatternCuts* cuts = nullptr);

}  // namespace patchbay::host
