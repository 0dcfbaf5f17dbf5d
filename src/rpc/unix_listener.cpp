#include "rpc/unix_listener.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "base/unix_address.h"

namespace patchbay::rpc {
namespace {

constexpr int kBacklog = 128;
constexpr int kMaxAcceptsPerIteration = 16;
/// Pause when descriptors or memory have run out.
constexpr loop::Milliseconds kFirstAcceptBackoff{50};
constexpr loop::Milliseconds kMaxAcceptBackoff{1000};

bool is_resource_exhaustion(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS;
}

UniqueFd unix_socket() {
  return UniqueFd(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

bool is_allowed_peer(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == 0 || peer.uid == geteuid();
}

}  // namespace

UnixListener::FileId UnixListener::file_at(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

UnixListener::UnixListener(loop::EventLoop& loop, UniqueFd fd, std::string path,
                           std::move_only_function<void(UniqueFd)> on_connection)
    : loop_(loop),
      fd_(std::move(fd)),
      path_(std::move(path)),
      file_(file_at(path_)),
      on_connection_(std::move(on_connection)) {
  resume_accepting();
}

UnixListener::~UnixListener() {
  accept_watch_.reset();
  if (is_at_path()) unlink(path_.c_str());
}

Result<UnixListener::MoveResult> UnixListener::move_to(const std::string& path) {
  // No peer could connect to a longer path.
  if (const auto fits = UnixAddress::of(path); !fits) return std::unexpected(fits.error());
  // Unlike rename(), link() replaces nothing.
  if (link(path_.c_str(), path.c_str()) != 0) {
    if (errno == EEXIST) return MoveResult::taken;
    if (errno == ENOENT) return MoveResult::lost;
    return fail_errno("cannot link " + path, errno);
  }
  unlink(path_.c_str());
  path_ = path;
  return MoveResult::moved;
}

void UnixListener::resume_accepting() {
  accept_watch_ = loop_.watch_readable(fd_.get(), [this](loop::FdEvent) { accept_some(); });
}

/// The socket stays readable: without a pause the loop would be busy with it.
void UnixListener::back_off(int error) {
  if (backoff_.count() == 0) {
    log::warning("cannot accept connections: retrying",
                 {{"socket", path_}, {"reason", std::generic_category().message(error)}});
  }
  backoff_ = std::clamp(backoff_ * 2, kFirstAcceptBackoff, kMaxAcceptBackoff);
  accept_watch_ = loop_.after(backoff_, [this] { resume_accepting(); });
}

void UnixListener::accept_some() {
  for (int i = 0; i < kMaxAcceptsPerIteration; ++i) {
    UniqueFd connection(accept4(fd_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!connection) {
      if (is_resource_exhaustion(errno)) back_off(errno);
      return;
    }
    if (std::exchange(backoff_, {}).count() != 0) {
      log::info("accepting connections again", {{"socket", path_}});
    }
    if (!is_allowed_peer(connection.get())) {
      if (const auto more = refusals_.admit(loop_.now())) {
        log::warning({"refused a connection: the peer is another user", log::EventKind::refused},
                     {{"socket", path_}, {"suppressed", std::to_string(*more)}});
      }
      continue;
    }
    on_connection_(std::move(connection));
  }
}

Result<std::unique_ptr<UnixListener>> UnixListener::open(
    loop::EventLoop& loop, const std::string& path,
    std::move_only_function<void(UniqueFd)> on_connection) {
  const auto address = UnixAddress::of(path);
  if (!address) return std::unexpected(address.error());
  UniqueFd fd = unix_socket();
  if (!fd) return fail_errno("cannot create a socket", errno);
  // bind() gives the file the mode of the socket. The file never has a wider mode, and the umask of
  // the process does not matter.
  if (fchmod(fd.get(), S_IRUSR | S_IWUSR) != 0) return fail_errno("cannot chmod a socket", errno);
  if (bind(fd.get(), address->get(), UnixAddress::size()) != 0) {
    return fail_errno("cannot bind " + path, errno);
  }
  if (listen(fd.get(), kBacklog) != 0) return fail_errno("cannot listen on " + path, errno);
  return std::unique_ptr<UnixListener>(
      new UnixListener(loop, std::move(fd), path, std::move(on_connection)));
}

std::expected<UniqueFd, int> connect_unix(const std::string& path) {
  const auto address = UnixAddress::of(path);
  if (!address) return std::unexpected(ENAMETOOLONG);
  UniqueFd fd = unix_socket();
  if (!fd || connect(fd.get(), address->get(), UnixAddress::size()) != 0) {
    return std::unexpected(errno);
  }
  return fd;
}

bool is_anyone_listening(const std::string& path) {
  const auto connection = connect_unix(path);
  return connection || connection.error() != ECONNREFUSED;  // Unknown: do not delete it.
}

}  // namespace patchbay::rpc
