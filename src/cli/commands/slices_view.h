#pragma once

#include <string>
#include <vector>

#include "inventory/resolution.h"

namespace patchbay::cli {

/// The ResourceSlices of a driver on one node.
struct SlicesView {
  std::string yaml;  ///< A document for each slice.
  /// Names of devices that are omitted, because an earlier device has the same name.
  std::vector<std::string> duplicates;
};

/// Returns the slices with the healthy units of all resources with `serve: dra`, in the order of
/// the configuration. Device strings are safe to print. Pure.
[[nodiscard]] SlicesView slices_view(const std::string& driver, const std::string& node,
                                     const inventory::Resolution& resolution);

}  // namespace patchbay::cli
