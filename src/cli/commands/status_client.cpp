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

#include "base/text.h"
#include "base/unique_fd.h"
#include "base/unix_address.h"

namespace patchbay::cli {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kNoTimeout{-1};
constexpr milliseconds kConnectTimeout{5000};
/// Twice the time after which a daemon answers with an error.
constexpr milliseconds kAnswerTimeout{10'000};
/// More than the status of a node with 43 690 units.
constexpr size_t kMaxBytes = size_t{256} << 20U;
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

bool wait_for(int fd, short events, Clock::time_point until, bool no_timeout) {
  const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
  if (!no_timeout && left.count() < 0) return false;
  pollfd watched{.fd = fd, .events = events, .revents = 0};
  const int ready = poll(&watched, 1, no_timeout ? -1 : static_cast<int>(left.count()));
  return ready > 0 || (ready < 0 && errno == EINTR);
}

Result<UniqueFd> connected(const StatusAddress& address, int family, const sockaddr* to,
                           socklen_t size) {
  UniqueFd fd(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return std::unexpected(no_daemon(address, errno));
  if (connect(fd.get(), to, size) == 0) return fd;
  if (errno != EINPROGRESS) return std::unexpected(no_daemon(address, errno));
  if (!wait_for(fd.get(), POLLOUT, Clock::now() + kConnectTimeout, false)) {
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

/// One request and response. HTTP/1.0: the server closes the connection after the response, which
/// is not chunked.
class Exchange {
 public:
  static Result<Exchange> begin(const StatusAddress& address, const std::string& target,
                                const std::string& accept, milliseconds timeout) {
    auto fd = connect_to(address);
    if (!fd) return std::unexpected(std::move(fd).error());
    Exchange exchange(address, *std::move(fd), timeout);
    const std::string host = address.socket.empty() ? address.host : "localhost";
    if (auto sent = exchange.send("GET " + target + " HTTP/1.0\r\nHost: " + host +
                                  "\r\nAccept: " + accept + "\r\n\r\n");
        !sent) {
      return std::unexpected(std::move(sent).error());
    }
    if (auto head = exchange.take_head(); !head) return std::unexpected(std::move(head).error());
    return exchange;
  }

  /// The unread part of the body; reads more first. Returns false at the end.
  Result<bool> more() { return read(); }
  std::string& body() { return text_; }

  Result<void> to_end() {
    for (;;) {
      const auto some = read();
      if (!some) return std::unexpected(some.error());
      if (!*some) return {};
    }
  }

  [[nodiscard]] int status() const { return status_; }

 private:
  Exchange(const StatusAddress& address, UniqueFd fd, milliseconds timeout)
      : address_(name_of(address)),
        fd_(std::move(fd)),
        no_timeout_(timeout == kNoTimeout),
        until_(Clock::now() + timeout) {}

  Error timeout_error() const { return {"the daemon at " + address_ + " does not answer"}; }

  Result<void> send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (sent > 0) {
        text.remove_prefix(static_cast<size_t>(sent));
      } else if (errno != EAGAIN && errno != EINTR) {
        return fail("cannot ask " + address_ + ": " + error_text(errno));
      } else if (!wait_for(fd_.get(), POLLOUT, until_, no_timeout_)) {
        return std::unexpected(timeout_error());
      }
    }
    return {};
  }

  /// Returns false at the end.
  Result<bool> read() {
    for (;;) {
      if (!wait_for(fd_.get(), POLLIN, until_, no_timeout_))
        return std::unexpected(timeout_error());
      std::array<char, 65536> chunk{};
      const ssize_t got = recv(fd_.get(), chunk.data(), chunk.size(), 0);
      if (got > 0) {
        text_.append(chunk.data(), static_cast<size_t>(got));
        if (text_.size() > kMaxBytes) return fail(address_ + " answers without end");
        return true;
      }
      if (got == 0) return false;
      if (errno != EAGAIN && errno != EINTR) {
        return fail("cannot read from " + address_ + ": " + error_text(errno));
      }
    }
  }

  /// "HTTP/1.x NNN …", and headers, which are ignored.
  Result<void> take_head() {
    size_t end = std::string::npos;
    while ((end = text_.find(kHeadEnd)) == std::string::npos) {
      const auto some = read();
      if (!some) return std::unexpected(some.error());
      if (!*some) return fail(address_ + " closed the connection without an answer");
    }
    constexpr size_t kCode = std::string_view("HTTP/1.1 ").size();
    const auto [rest, error] =
        std::from_chars(text_.data() + std::min(kCode, end), text_.data() + end, status_);
    if (!text_.starts_with("HTTP/1.") || error != std::errc()) {
      return fail(address_ + " does not speak HTTP");
    }
    text_.erase(0, end + kHeadEnd.size());
    return {};
  }

  std::string address_;
  UniqueFd fd_;
  bool no_timeout_;
  Clock::time_point until_;
  int status_ = 0;
  std::string text_;
};

Result<void> check_status(const StatusAddress& address, const Exchange& exchange,
                          std::string_view body) {
  if (exchange.status() == 200) return {};
  return fail(name_of(address) + " answers " + std::to_string(exchange.status()) + ": " +
              printable(trim_end(body), 500));
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

Result<std::string> ask_daemon(const StatusAddress& address, const std::string& target) {
  auto exchange = Exchange::begin(address, target, "*/*", kAnswerTimeout);
  if (!exchange) return std::unexpected(std::move(exchange).error());
  if (auto all = exchange->to_end(); !all) return std::unexpected(std::move(all).error());
  if (auto right = check_status(address, *exchange, exchange->body()); !right) {
    return std::unexpected(std::move(right).error());
  }
  return std::move(exchange->body());
}

Result<void> follow_daemon(const StatusAddress& address, const std::string& target,
                           const std::function<bool(const std::string&)>& on_data) {
  auto exchange = Exchange::begin(address, target, "text/event-stream", kNoTimeout);
  if (!exchange) return std::unexpected(std::move(exchange).error());
  if (exchange->status() != 200) {
    if (auto all = exchange->to_end(); !all) return all;
    return check_status(address, *exchange, exchange->body());
  }
  for (;;) {
    std::string& text = exchange->body();
    for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
      constexpr std::string_view kData = "data: ";
      const std::string line = text.substr(0, end);
      text.erase(0, end + 1);
      if (line.starts_with(kData) && !on_data(line.substr(kData.size()))) return {};
    }
    const auto some = exchange->more();
    if (!some) return std::unexpected(some.error());
    if (!*some) return fail("the daemon at " + name_of(address) + " has ended");
  }
}

}  // namespace patchbay::cli
