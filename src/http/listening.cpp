#include "http/listening.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "base/unix_address.h"

namespace patchbay::http {
namespace {

/// The kubelet's probe must find room behind peers that connect again and again.
constexpr int kBacklog = SOMAXCONN;
/// The kernel keeps a connection without data for this time before it can be accepted.
constexpr int kDeferAcceptSeconds = 10;
constexpr const char* kInUse = "another instance answers at ";

std::string error_text(int error) { return std::system_category().message(error); }

Result<UniqueFd> make_socket(int family) {
  UniqueFd fd(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return fail("no socket: " + error_text(errno));
  return fd;
}

/// Whether a process listens at that socket, also if its queue is full.
bool has_listener(const UnixAddress& address) {
  const auto fd = make_socket(AF_UNIX);
  if (!fd) return false;
  return connect(fd->get(), address.get(), UnixAddress::size()) == 0 || errno == EAGAIN;
}

}  // namespace

bool is_socket_in_use(const Error& error) { return error.message.starts_with(kInUse); }

Result<UniqueFd> listen_unix(const std::string& path) {
  const auto address = UnixAddress::of(path);
  if (!address) return std::unexpected(address.error());
  std::error_code unmade;
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  std::filesystem::create_directories(directory, unmade);
  if (unmade) return fail("cannot make " + directory.string() + ": " + unmade.message());
  auto fd = make_socket(AF_UNIX);
  if (!fd) return fd;
  // Without the lock, an instance could remove the file of another one that starts at the same
  // time.
  const UniqueFd lock(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock || flock(lock.get(), LOCK_EX) != 0) {
    return fail("cannot lock " + directory.string() + ": " + error_text(errno));
  }
  struct stat status {};
  if (lstat(path.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode)) return fail(path + " exists and is not a socket");
    if (has_listener(*address)) return fail(kInUse + path);
    unlink(path.c_str());
  }
  // The file gets the mode of the socket.
  if (fchmod(fd->get(), 0600) != 0 || bind(fd->get(), address->get(), UnixAddress::size()) != 0 ||
      listen(fd->get(), kBacklog) != 0) {
    return fail("cannot listen at " + path + ": " + error_text(errno));
  }
  return fd;
}

Result<TcpAddress> parse_tcp_address(const std::string& text) {
  const size_t colon = text.rfind(':');
  TcpAddress address;
  if (colon == std::string::npos) return fail("no port: write HOST:PORT or :PORT");
  address.host = text.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  const char* const begin = text.data() + colon + 1;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, address.port);
  if (error != std::errc() || rest != end || address.port == 0) {
    return fail("invalid port: write a number from 1 to 65535 after the last colon");
  }
  in6_addr parsed{};
  if (!address.host.empty() && inet_pton(AF_INET, address.host.c_str(), &parsed) != 1 &&
      inet_pton(AF_INET6, address.host.c_str(), &parsed) != 1) {
    return fail("invalid address: write it in numbers, such as 127.0.0.1 or [::1]");
  }
  return address;
}

Result<UniqueFd> listen_tcp(const TcpAddress& address) {
  sockaddr_storage storage{};
  socklen_t size = 0;
  auto& v4 = reinterpret_cast<sockaddr_in&>(storage);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(storage);
  if (inet_pton(AF_INET, address.host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(address.port);
    size = sizeof v4;
  } else {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(address.port);
    if (!address.host.empty()) inet_pton(AF_INET6, address.host.c_str(), &v6.sin6_addr);
    size = sizeof v6;
  }
  auto fd = make_socket(storage.ss_family);
  if (!fd && address.host.empty()) {  // A node without IPv6.
    v4 = {};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(address.port);
    size = sizeof v4;
    fd = make_socket(AF_INET);
  }
  if (!fd) return fd;
  const int yes = 1;
  const int no = 0;
  setsockopt(fd->get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  // A peer that sends nothing must not use one of the server's connections: it would replace a peer
  // whose request comes late.
  setsockopt(fd->get(), IPPROTO_TCP, TCP_DEFER_ACCEPT, &kDeferAcceptSeconds,
             sizeof kDeferAcceptSeconds);
  if (storage.ss_family == AF_INET6) {
    setsockopt(fd->get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  }
  if (bind(fd->get(), reinterpret_cast<const sockaddr*>(&storage), size) != 0 ||
      listen(fd->get(), kBacklog) != 0) {
    return fail("cannot listen on port " + std::to_string(address.port) + ": " + error_text(errno));
  }
  return fd;
}

bool is_loopback_address(const std::string& host) {
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24U) == 127;
  in6_addr v6{};
  if (inet_pton(AF_INET6, host.c_str(), &v6) != 1) return false;
  return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
}

}  // namespace patchbay::http
