#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace patchbay::http {

/// Keeps a listening unix socket at a path, and removes it at the end. It uses its own thread,
/// because the path's file system may hang, and nothing else waits for it. A deleted socket is made
/// again. The socket of another instance is never removed.
class StatusSocket {
 public:
  /// Called on the socket's thread, while the object lives.
  struct Callbacks {
    /// It listens. Called again after a deleted socket was made again.
    std::function<void(UniqueFd)> made;
    /// It could not be made, and is retried: is_socket_in_use(), or another error.
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
