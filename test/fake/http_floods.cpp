#include "fake/http_floods.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "base/unique_fd.h"

namespace patchbay::fake {
namespace {

constexpr size_t kOnePiece = size_t{64} << 10U;
/// Longest time between two checks whether the flood continues.
constexpr int kTurnMs = 20;

std::string request(const std::string& target, const std::string& headers = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n";
}

/// Repeats the text up to the size of one chunk.
std::string repeated(const std::string& text) {
  std::string all;
  while (all.size() < kOnePiece) all += text;
  return all;
}

class Peer {
 public:
  Peer(const HttpFlood& flood, uint16_t port, HttpFlooded& flooded)
      : flood_(flood), port_(port), flooded_(flooded) {
    connect();
  }

  [[nodiscard]] pollfd watched() const {
    const bool sends = !rest_.empty() || !flood_.again.empty();
    const int events = (flood_.reads ? POLLIN : 0) | (sends ? POLLOUT : 0);
    return {.fd = fd_.get(), .events = static_cast<short>(events | POLLRDHUP), .revents = 0};
  }

  void act(short happened) {
    if ((happened & POLLIN) != 0 && !read()) return closed();
    if ((happened & POLLOUT) != 0 && !send()) return closed();
    if ((happened & (POLLERR | POLLHUP | POLLRDHUP)) != 0 && (happened & POLLIN) == 0) closed();
  }

 private:
  void connect() {
    fd_ = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // The connection succeeds soon, or reports an error then.
    [[maybe_unused]] const int begun =
        ::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    rest_ = flood_.first;
  }

  void closed() {
    ++flooded_.closed;
    connect();
  }

  bool read() {
    std::array<char, kOnePiece> piece{};
    const ssize_t got = recv(fd_.get(), piece.data(), piece.size(), 0);
    return got > 0 || (got < 0 && errno == EAGAIN);
  }

  bool send() {
    if (rest_.empty()) rest_ = flood_.again;
    const ssize_t sent = ::send(fd_.get(), rest_.data(), rest_.size(), MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN;
    rest_.remove_prefix(static_cast<size_t>(sent));
    flooded_.bytes += static_cast<uint64_t>(sent);
    return true;
  }

  const HttpFlood& flood_;
  uint16_t port_;
  HttpFlooded& flooded_;
  UniqueFd fd_;
  std::string_view rest_;
};

}  // namespace

const std::vector<HttpFlood>& http_floods() {
  static const std::vector<HttpFlood> all{
      {.name = "PipelinedUnread", .first = "", .again = repeated(request("/healthz"))},
      {.name = "PipelinedThenBytes",
       .first = repeated(request("/metrics")),
       .again = std::string(kOnePiece, 'x')},
      {.name = "RequestThenBytes",
       .first = request("/metrics"),
       .again = std::string(kOnePiece, 'x')},
      {.name = "HeadWithoutEnd", .first = "GET / HTTP/1.1\r\n", .again = repeated("a:\r\n")},
      {.name = "PartOfAHead", .first = "GET / HTTP/1.1\r\n" + std::string(8000, 'x'), .again = ""},
      {.name = "UnreadStatus", .first = request("/status"), .again = ""},
      {.name = "HealthAgainAndAgain", .first = request("/healthz"), .again = "", .reads = true},
      {.name = "StatusAgainAndAgain", .first = request("/status"), .again = "", .reads = true},
  };
  return all;
}

void flood_http(const HttpFlood& flood, uint16_t port, size_t connections,
                const std::function<bool(const HttpFlooded&)>& goes_on) {
  HttpFlooded flooded;
  std::vector<Peer> peers;
  peers.reserve(connections);
  for (size_t i = 0; i < connections; ++i) peers.emplace_back(flood, port, flooded);
  std::vector<pollfd> watched(connections);
  while (goes_on(flooded)) {
    for (size_t i = 0; i < connections; ++i) watched[i] = peers[i].watched();
    if (poll(watched.data(), watched.size(), kTurnMs) <= 0) continue;
    for (size_t i = 0; i < connections; ++i) peers[i].act(watched[i].revents);
  }
}

}  // namespace patchbay::fake
