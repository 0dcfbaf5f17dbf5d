#include "rpc/endpoint.h"

#include <utility>

#include "rpc/endpoint_name.h"

namespace patchbay::rpc {
namespace {

/// Attempts to make a socket while another instance starts.
constexpr int kEndpointAttempts = 20;

}  // namespace

Result<Endpoint> open_endpoint(loop::EventLoop& loop, const EndpointOptions& options,
                               uint64_t& next, const std::function<void(UniqueFd)>& on_connection) {
  const std::string prefix = options.directory + "/";
  for (int i = 0; i < kEndpointAttempts; ++i) {
    const uint64_t n = next++;
    // Another instance deletes sockets that do not listen yet. It can find only the temporary name,
    // and then the move fails.
    auto listener = UnixListener::open(loop, prefix + temporary_endpoint_name(options.start_id, n),
                                       on_connection);
    if (!listener) return std::unexpected(listener.error());
    std::string name = options.name(n);
    const auto moved = (*listener)->move_to(prefix + name);
    if (!moved) return std::unexpected(moved.error());
    if (*moved == UnixListener::MoveResult::moved) {
      return Endpoint{.name = std::move(name), .listener = *std::move(listener)};
    }
  }
  return fail("another process deletes each new socket in " + options.directory);
}

}  // namespace patchbay::rpc
