#pragma once

#include <string>

#include "base/json_text.h"
#include "cli/terminal/table.h"

namespace patchbay::cli {

/// Returns a table of the ResourceClaims that have units of `resource`, and their warnings, each
/// after an empty line. If `resource` is empty, the table has the ResourceClaims that need
/// attention: those of draining drivers, in release, and with an unreadable record. Then also
/// returns all warnings, and a line for each draining driver. Empty if there is nothing. Pure.
[[nodiscard]] std::string claims_text(const Json& status, const std::string& resource,
                                      const TableLayout& layout);

}  // namespace patchbay::cli
