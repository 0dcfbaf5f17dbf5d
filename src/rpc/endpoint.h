#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "loop/event_loop.h"
#include "rpc/unix_listener.h"

namespace patchbay::rpc {

/// A listening socket with a name that no process has used before.
struct Endpoint {
  std::string name;  ///< Its file name, as of endpoint_name().
  std::unique_ptr<UnixListener> listener;
};

/// The directory and the names of the sockets of open_endpoint().
struct EndpointOptions {
  std::string directory;
  std::string start_id;
  std::function<std::string(uint64_t n)> name;  ///< The file name of attempt `n`.
};

/// Opens a socket, and increments `next` for each attempt. The socket listens before it has its
/// final name, so no process finds it there and deletes it as stale. Loop thread.
[[nodiscard]] Result<Endpoint> open_endpoint(loop::EventLoop& loop, const EndpointOptions& options,
                                             uint64_t& next,
                                             const std::function<void(UniqueFd)>& on_connection);

}  // namespace patchbay::rpc
