#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace patchbay::http {

/// Keeps a listening unix socket at a path. If the socket is deleted, it is created again. The
/// destructor removes it, but never the socket of another instance. All this is done on a separate
/// thread, because the path's file system may hang.
class StatusSocket {
 public:
  /// Called on the socket's thread, while the object lives.
  struct Callbacks {
    /// The socket listens. Called again after a deleted socket was created again.
    std::function<void(UniqueFd)> made;
    /// The socket could not be created. The attempt is repeated. See is_socket_in_use().
    std::function<void(const Error&)> refused;
  };

  /// `check_again`: how often the path is checked.
  StatusSocket(std::string path, std::chrono::milliseconds check_again, Callbacks callbacks);
  StatusSocket(const StatusSocket&) = delete;
  StatusSocket& operator=(const StatusSocket&) = delete;
  ~StatusSocket();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace patchbay::http
