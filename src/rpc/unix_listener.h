#pragma once

#include <sys/types.h>

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/rate_limited_log.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "loop/event_loop.h"

namespace patchbay::rpc {

/// Listens on a Unix socket, and accepts connections of root and our own user only. The socket's
/// mode is always 0600, and SO_PEERCRED is checked, too. While descriptors or memory have run out,
/// connections wait in the kernel. The destructor unlinks the path if it is still this socket. Loop
/// thread.
class UnixListener final {
 public:
  [[nodiscard]] static Result<std::unique_ptr<UnixListener>> open(
      loop::EventLoop& loop, const std::string& path,
      std::move_only_function<void(UniqueFd)> on_connection);
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;
  ~UnixListener();

  enum class MoveResult {
    moved,
    taken,  ///< The new path exists already.
    lost,   ///< The old path does not exist: another process deleted it as stale.
  };
  /// Renames the socket. It listens already, so it never looks stale at the new path.
  [[nodiscard]] Result<MoveResult> move_to(const std::string& path);
  /// Whether the path is still this socket.
  [[nodiscard]] bool is_at_path() const { return file_at(path_) == file_; }

 private:
  /// Device and inode of a file.
  using FileId = std::pair<dev_t, ino_t>;
  static FileId file_at(const std::string& path);

  UnixListener(loop::EventLoop& loop, UniqueFd fd, std::string path,
               std::move_only_function<void(UniqueFd)> on_connection);
  void resume_accepting();
  void accept_some();
  void back_off(int error);

  loop::EventLoop& loop_;
  UniqueFd fd_;
  std::string path_;
  FileId file_;
  std::move_only_function<void(UniqueFd)> on_connection_;
  log::RateLimitedLog refusals_;
  loop::Subscription accept_watch_;  ///< The watch of the socket, or the timer of the next attempt.
  loop::Milliseconds backoff_{};     ///< Delay while descriptors or memory have run out; else 0.
};

/// Connects to the unix socket at `path`, or returns the errno of a non-blocking connect().
[[nodiscard]] std::expected<UniqueFd, int> connect_unix(const std::string& path);

/// Whether a process may listen at `path`: the connection is not refused.
[[nodiscard]] bool is_anyone_listening(const std::string& path);

}  // namespace patchbay::rpc
