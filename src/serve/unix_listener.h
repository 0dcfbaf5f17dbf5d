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
#include "serve/leaky_bucket.h"

namespace patchbay::serve {

/// The longest path a unix socket can have (sun_path without its NUL).
inline constexpr size_t kMaxSocketPath = 107;

/// A listening unix socket of our own: mode 0600 from the first moment, connections only from root
/// and from our own user, told by SO_PEERCRED. Takes some tens of connections at once, then
/// kAcceptsPerSecond: others wait in the kernel, as do those that cannot be taken for want of
/// descriptors or memory. Unlinks its path when it ends, if that is still
/// this socket. Loop thread.
class UnixListener final {
 public:
  static constexpr int kAcceptBurst = 64;
  static constexpr int kAcceptsPerSecond = 32;

  [[nodiscard]] static Result<std::unique_ptr<UnixListener>> open(
      loop::EventLoop& loop, const std::string& path,
      std::move_only_function<void(UniqueFd)> on_connection);
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;
  ~UnixListener();

  enum class MoveResult {
    moved,
    taken,  ///< Something is there.
    lost,   ///< The socket is not at its path any more: somebody took it for one that is left over.
  };
  /// Gives the socket that path instead of its own. Nobody can connect to it by the new path before
  /// it listens.
  [[nodiscard]] Result<MoveResult> move_to(const std::string& path);
  /// Whether it is still what is at its path.
  [[nodiscard]] bool is_at_path() const { return file_at(path_) == file_; }

 private:
  /// Device and inode of a file, to know it again.
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
  LeakyBucket accept_rate_{kAcceptBurst, kAcceptsPerSecond};
  log::RateLimitedLog refusals_;
  loop::Subscription accept_watch_;  ///< Or the wait for another try.
  loop::Milliseconds backoff_{};     ///< For want of room; 0: connections are taken.
};

/// A connection to the unix socket at `path`, or the errno of a non-blocking connect().
[[nodiscard]] std::expected<UniqueFd, int> connect_unix(const std::string& path);

/// Whether somebody accepts connections at `path`: a connect_unix() that is not refused.
[[nodiscard]] bool is_anyone_listening(const std::string& path);

}  // namespace patchbay::serve
