#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <string>

#include "base/result.h"

namespace patchbay {

/// The maximum length of a Unix socket's path: the size of sun_path, less one for the NUL.
inline constexpr size_t kMaxSocketPath = sizeof(sockaddr_un::sun_path) - 1;

/// The address of a Unix socket, for bind() and connect(). Immutable. Any thread.
class UnixAddress {
 public:
  /// Fails if the path is longer than kMaxSocketPath.
  [[nodiscard]] static Result<UnixAddress> of(const std::string& path);

  [[nodiscard]] const sockaddr* get() const {
    return reinterpret_cast<const sockaddr*>(&address_);  // The idiom of the socket API.
  }
  [[nodiscard]] static socklen_t size() { return sizeof(sockaddr_un); }

 private:
  sockaddr_un address_{};
};

}  // namespace patchbay
