#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "inventory/allocate.h"

namespace patchbay::specs {

/// Resolves the symbolic links of a host path; empty: dangling. Runtimes do not accept a link as a
/// device node. Blocking; any thread.
using ResolveLinks = std::function<std::optional<std::string>(const std::string&)>;

/// The lowest CDI version with all features used, as "0.MINOR.0". Runtimes reject versions newer
/// than they know.
class CdiVersion {
 public:
  void require(int minor) { minor_ = std::max(minor_, minor); }
  [[nodiscard]] std::string text() const { return "0." + std::to_string(minor_) + ".0"; }

 private:
  int minor_ = 3;
};

/// Returns the `containerEdits` of a CDI device with these nodes and mounts; empty if there are
/// none. Requires of `version` what the edits use.
[[nodiscard]] nlohmann::ordered_json edits_json(const inventory::Allocation& given,
                                                const ResolveLinks& resolve, CdiVersion& version);

}  // namespace patchbay::specs
