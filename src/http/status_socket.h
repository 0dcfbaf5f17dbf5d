#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace patchbay::http {

/// Keeps a listening unix socket at a path, and removes it at the end. A thread of its own does it,
/// since the path's file system may hang: nothing else waits for that. A socket that was deleted is
/// made again. The socket of another instance is never removed.
class StatusSocket {
 public:
  /// Called on the socket's thread, while the object lives.
  struct Callbacks {
    /// It listens; again when it was deleted and made anew.
    std::function<void(UniqueFd)> made;
    /// It could not be made, and is tried again: is_socket_in_use(), or anything else.
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
