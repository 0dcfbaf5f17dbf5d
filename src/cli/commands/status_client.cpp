#include "cli/commands/status_client.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/text.h"
#include "base/unique_fd.h"
#include "base/unix_address.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/stream_watch.h"

namespace patchbay::cli {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kConnectTimeout{5000};
/// Twice the time after which a daemon answers with an error.
constexpr milliseconds kAnswerTimeout{10'000};
constexpr std::string_view kHeadEnd = "\r\n\r\n";

std::string error_text(int error) { return std::system_category().message(error); }

std::string name_of(const StatusAddress& address) {
  return address.socket.empty() ? "http://" + address.host + ":" + address.port : address.socket;
}

Error no_daemon(const StatusAddress& address, int error) {
  std::string message = "no daemon answers at " + name_of(address) + ": " + error_text(error);
  if (error == ENOENT && !address.socket.empty()) {
    message +=
        "; check that it runs on this machine and in this container, or give --status-socket or "
        "--from";
  } else if (error == EACCES) {
    message += "; only the socket's owner has access: run this as the daemon's user";
  }
  return {message};
}

bool wait_for(int fd, short events, Clock::time_point until) {
  const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
  if (left.count() < 0) return false;
  pollfd watched{.fd = fd, .events = events, .revents = 0};
  const int ready = poll(&watched, 1, static_cast<int>(left.count()));
  return ready > 0 || (ready < 0 && errno == EINTR);
}

Result<UniqueFd> connected(const StatusAddress& address, int family, const sockaddr* to,
                           socklen_t size) {
  UniqueFd fd(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return std::unexpected(no_daemon(address, errno));
  if (connect(fd.get(), to, size) == 0) return fd;
  if (errno != EINPROGRESS) return std::unexpected(no_daemon(address, errno));
  if (!wait_for(fd.get(), POLLOUT, Clock::now() + kConnectTimeout)) {
    return std::unexpected(no_daemon(address, ETIMEDOUT));
  }
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) return std::unexpected(no_daemon(address, error));
  return fd;
}

Result<UniqueFd> connect_to(const StatusAddress& address) {
  if (!address.socket.empty()) {
    const auto to = UnixAddress::of(address.socket);
    if (!to) return std::unexpected(to.error());
    return connected(address, AF_UNIX, to->get(), UnixAddress::size());
  }
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(address.host.c_str(), address.port.c_str(), &wanted, &list);
  if (error != 0) return fail("cannot find " + address.host + ": " + gai_strerror(error));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(list, freeaddrinfo);
  Result<UniqueFd> fd = fail("cannot find " + address.host);
  for (const addrinfo* at = list; at != nullptr && !fd; at = at->ai_next) {
    fd = connected(address, at->ai_family, at->ai_addr, at->ai_addrlen);
  }
  return fd;
}

/// One request and response. HTTP/1.0: the response is not chunked.
class Exchange {
 public:
  Exchange(const StatusAddress& address, UniqueFd fd, size_t max_bytes)
      : address_(name_of(address)), fd_(std::move(fd)), max_bytes_(max_bytes) {}

  Result<void> send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (sent > 0) {
        text.remove_prefix(static_cast<size_t>(sent));
      } else if (errno != EAGAIN && errno != EINTR) {
        return fail("cannot ask " + address_ + ": " + error_text(errno));
      } else if (!wait_for(fd_.get(), POLLOUT, until_)) {
        return std::unexpected(timeout_error());
      }
    }
    return {};
  }

  /// The whole response, until the server closes the connection.
  Result<std::string> receive() {
    for (;;) {
      if (!wait_for(fd_.get(), POLLIN, until_)) return std::unexpected(timeout_error());
      std::array<char, 65536> chunk{};
      const ssize_t got = recv(fd_.get(), chunk.data(), chunk.size(), 0);
      if (got == 0) return std::move(text_);
      if (got < 0 && errno != EAGAIN && errno != EINTR) {
        return fail("cannot read from " + address_ + ": " + error_text(errno));
      }
      const auto bytes = static_cast<size_t>(std::max<ssize_t>(got, 0));
      if (bytes > max_bytes_ - text_.size()) {
        return fail(
            fmt::format("{}: the answer has more than {} MiB", address_, max_bytes_ >> 20U));
      }
      text_.append(chunk.data(), bytes);
    }
  }

 private:
  Error timeout_error() const { return {"the daemon at " + address_ + " does not answer"}; }

  std::string address_;
  UniqueFd fd_;
  size_t max_bytes_;
  Clock::time_point until_ = Clock::now() + kAnswerTimeout;
  std::string text_;
};

/// The body of a response with status 200: "HTTP/1.x NNN …", and headers, which are ignored.
Result<std::string> body_of(const std::string& name, std::string response) {
  if (response.empty()) return fail(name + " closed the connection without an answer");
  constexpr size_t kCode = std::string_view("HTTP/1.1 ").size();
  const size_t end = response.find(kHeadEnd);
  int status = 0;
  if (response.starts_with("HTTP/1.") && end != std::string::npos) {
    std::from_chars(response.data() + std::min(kCode, end), response.data() + end, status);
  }
  if (status == 0) return fail(name + " does not speak HTTP");
  response.erase(0, end + kHeadEnd.size());
  if (status == 200) return response;
  return fail(name + " answers " + std::to_string(status) + ": " +
              printable(trim_end(response), 500));
}

}  // namespace

Result<StatusAddress> parse_status_url(const std::string& url) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) return fail("must begin with http://");
  std::string rest = url.substr(kScheme.size());
  if (rest.ends_with('/')) rest.pop_back();
  const size_t colon = rest.rfind(':');
  StatusAddress address{.socket = "", .host = rest.substr(0, colon), .port = "9405"};
  if (colon != std::string::npos && rest.find(']', colon) == std::string::npos) {
    address.port = rest.substr(colon + 1);
  } else {
    address.host = rest;
  }
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  if (address.host.empty() || address.port.empty() ||
      address.host.find_first_of("/?#@ ") != std::string::npos) {
    return fail("must be http://HOST:PORT");
  }
  return address;
}

std::string default_status_socket() {
  if (geteuid() == 0) return "/run/patchbay/status.sock";
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  return runtime == nullptr || *runtime != '/' ? ""
                                               : std::string(runtime) + "/patchbay/status.sock";
}

bool has_listener(const StatusAddress& address) { return connect_to(address).has_value(); }

Result<StatusAddress> address_of(const StatusClientOptions& options) {
  if (!options.url.empty()) return parse_status_url(options.url);
  StatusAddress address{.socket =
                            options.socket.empty() ? default_status_socket() : options.socket};
  if (address.socket.empty()) {
    return fail(
        "status socket: its path is unknown ($XDG_RUNTIME_DIR is not set); give --status-socket "
        "PATH, or --from http://HOST:PORT of a daemon with --page");
  }
  return address;
}

Result<std::string> ask_daemon(const StatusAddress& address, const std::string& target,
                               size_t max_bytes) {
  auto fd = connect_to(address);
  if (!fd) return std::unexpected(std::move(fd).error());
  Exchange exchange(address, *std::move(fd), max_bytes);
  const std::string host = address.socket.empty() ? address.host : "localhost";
  const auto sent = exchange.send("GET " + target + " HTTP/1.0\r\nHost: " + host + "\r\n\r\n");
  if (!sent) return std::unexpected(sent.error());
  auto response = exchange.receive();
  if (!response) return response;
  return body_of(name_of(address), *std::move(response));
}

int poll_daemon(loop::UvLoop& loop, const std::function<std::optional<int>()>& ask) {
  constexpr loop::Milliseconds kPeriod{2000};
  int exit_code = kOk;
  const auto poll = [&] {
    const std::optional<int> end = ask();
    if (!end) return;
    exit_code = *end;
    loop.stop();
  };
  const auto client = watch_client(loop, [&] { loop.stop(); });
  const auto first = loop.after(loop::Milliseconds(0), poll);
  const auto period = loop.every(kPeriod, poll);
  loop.run();
  return exit_code;
}

}  // namespace patchbay::cli
