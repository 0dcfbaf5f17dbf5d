#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/facts.h"

/// What `sysfs:` patterns find. Any thread; blocking.
namespace patchbay::host {

/// By the canonical path of a directory, which patterns found it by which paths; sorted.
using SysfsListing = std::map<std::string, std::vector<FoundBy>>;

/// `sysfs` is another directory than /sys in tests only.
[[nodiscard]] SysfsListing list_sysfs(const std::vector<std::string>& patterns,
                                      const std::string& sysfs = "/sys");

/// `path` with all links followed; empty: it is not there.
[[nodiscard]] std::string canonical_path(const std::string& path);

}  // namespace patchbay::host
