#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"
#include "loop/event_loop.h"

namespace patchbay::serve {

/// The longest path a unix socket can have (sun_path without its NUL).
inline constexpr size_t kMaxSocketPath = 107;

/// A listening unix socket of our own: mode 0600 from the first moment, connections only from root
/// and from our own user, told by SO_PEERCRED. Unlinks its path when it ends, if that is still this
/// socket. Loop thread.
class UnixListener final {
 public:
  [[nodiscard]] static Result<std::unique_ptr<UnixListener>> open(
      loop::EventLoop& loop, const std::string& path,
      std::move_only_function<void(UniqueFd)> on_connection);
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;
  ~UnixListener();

 private:
  /// Device and inode of a file, to know it again.
  using FileId = std::pair<dev_t, ino_t>;
  static FileId file_at(const std::string& path);

  UnixListener(loop::EventLoop& loop, UniqueFd fd, std::string path,
               std::move_only_function<void(UniqueFd)> on_connection);
  void accept_some();

  UniqueFd fd_;
  std::string path_;
  FileId file_;
  std::move_only_function<void(UniqueFd)> on_connection_;
  loop::Subscription accepting_;
};

/// Whether somebody accepts connections at `path`: a non-blocking connect() that is not refused.
[[nodiscard]] bool is_anyone_listening(const std::string& path);

}  // namespace patchbay::serve
