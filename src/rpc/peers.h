#pragma once

#include <chrono>
#include <vector>

/// Functions that wait for the peers of sockets that other code reads and writes. Both block.
namespace patchbay::rpc {

/// Waits until everything that the peers have sent is read, or for `at_most`. Connections whose
/// peer has hung up are ignored.
void wait_until_read(const std::vector<int>& connections, std::chrono::milliseconds at_most);

/// Waits until all peers have hung up, or for `at_most`.
void wait_for_hang_up(const std::vector<int>& connections, std::chrono::milliseconds at_most);

}  // namespace patchbay::rpc
