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

/// Listens on a unix socket. Its mode is 0600 from the start, and SO_PEERCRED must show root or our
/// own user. While descriptors or memory have run out, connections wait in the kernel. At the end
/// it unlinks its path, if that is still this socket. Loop thread.
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
    taken,  ///< The path exists.
    lost,   ///< The socket's path is gone: another process deleted it as stale.
  };
  /// Replaces the path of the socket. No peer can connect at the new path before the socket
  /// listens.
  [[nodiscard]] Result<MoveResult> move_to(const std::string& path);
  /// Whether its path still is this socket.
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
  loop::Subscription accept_watch_;  ///< Or the timer of the next attempt.
  loop::Milliseconds backoff_{};     ///< Delay while descriptors or memory have run out; else 0.
};

/// Connects to the unix socket at `path`, or returns the errno of a non-blocking connect().
[[nodiscard]] std::expected<UniqueFd, int> connect_unix(const std::string& path);

/// Whether a process listens at `path`: connect_unix() is not refused.
[[nodiscard]] bool is_anyone_listening(const std::string& path);

}  // namespace patchbay::rpc
