#pragma once

#include <chrono>
#include <vector>

#include "base/unique_fd.h"

/// What the peers of sockets do, which others read and write. Both block.
namespace patchbay::serve {

/// Waits until all that the peers have sent is read, at most so long; at once if nothing is unread.
/// Those that have hung up do not count.
void wait_until_read(const std::vector<UniqueFd>& connections, std::chrono::milliseconds at_most);

/// Waits until all peers have hung up, at most so long; at once if there are none.
void wait_for_hang_up(const std::vector<UniqueFd>& connections, std::chrono::milliseconds at_most);

}  // namespace patchbay::serve
