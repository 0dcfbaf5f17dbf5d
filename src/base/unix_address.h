#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <string>

#include "base/result.h"

namespace patchbay {

/// The longest path of a unix socket (sun_path without its NUL).
inline constexpr size_t kMaxSocketPath = sizeof(sockaddr_un::sun_path) - 1;

/// The address of the unix socket at a path, as the socket API takes it. Immutable. Any thread.
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
