#pragma once

#include <string>
#include <string_view>

#include "observe/node_status.h"

namespace patchbay::observe {

/// The status as one HTML page that loads nothing else: as it is now, for who has no script, and
/// the script that goes on with /status and /events. Strings of devices become text, whatever they
/// hold. `nonce` is of this answer, and stands in page_policy(), too: nothing else runs on the
/// page.
[[nodiscard]] std::string page(const NodeStatus& status, std::string_view nonce);

/// The Content-Security-Policy that belongs to it.
[[nodiscard]] std::string page_policy(std::string_view nonce);

}  // namespace patchbay::observe
