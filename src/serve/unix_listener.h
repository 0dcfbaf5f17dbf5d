#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "loop/event_loop.h"

namespace patchbay::serve {

/// The longest path a unix socket can have (sun_path without its NUL).
inline constexpr size_t kMaxSocketPath = 107;

/// A listening unix socket of our own: mode 0600 from the first moment, connections only from root
/// and from our own user, told by SO_PEERCRED. Unlinks its path when it ends, if that is still this
/// socket. Loop thread.
class UnixListener {
 public:
  [[nodiscard]] static Result<std::unique_ptr<UnixListener>> open(
      loop::EventLoop& loop, const std::string& path,
      std::move_only_function<void(UniqueFd)> on_connection);
  virtual ~UnixListener() = default;
};

/// Whether somebody accepts connections at `path`: a non-blocking connect() that is not refused.
[[nodiscard]] bool is_anyone_listening(const std::string& path);

}  // namespace patchbay::serve
