#include "serve/flood_guard.h"

#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/log.h"

namespace patchbay::serve {
namespace {

using Reason = std::optional<std::string>;

bool is_socket(int fd, uint64_t inode) {
  struct stat status {};
  return fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode) && status.st_ino == inode;
}

std::string peer_pid(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return "unknown";
  return std::to_string(peer.pid);
}

}  // namespace

struct FloodGuard::State {
  std::mutex mutex;
  std::map<int, std::shared_ptr<Connection>> by_fd;  // Guarded by mutex, as is all of Connection.
  log::RateLimitedLog log_limit;

  /// Closes the connections of the highest cost, until the rest is within the limit. With the lock.
  void enforce_cost_limit(Time now);
};

class FloodGuard::Connection final : public SocketTap {
 public:
  Connection(std::shared_ptr<State> state, int fd, uint64_t inode, std::string resource,
             std::function<void()> ended)
      : state_(std::move(state)),
        fd_(fd),
        inode_(inode),
        resource_(std::move(resource)),
        ended_(std::move(ended)) {}

  [[nodiscard]] bool received(Chunks bytes) override {
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(state_->mutex);
    if (!closed_) count(bytes, now);
    return !hung_up_ || !is_socket(fd_, inode_);
  }

  void sent(Chunks bytes) override {
    const std::lock_guard lock(state_->mutex);
    for (const auto& piece : bytes) meter_.sent(piece);
  }

  void ended() override {
    if (is_socket(fd_, inode_)) ended_();
  }

  // With the lock.

  void close(const std::string& reason) {
    if (closed_) return;
    closed_ = true;
    if (!is_socket(fd_, inode_)) return;
    if (const auto more = state_->log_limit.admit(std::chrono::steady_clock::now())) {
      log::warning("closed a connection: it exceeded a limit",
                   {{"resource", resource_},
                    {"reason", reason},
                    {"pid", peer_pid(fd_)},
                    {"suppressed", std::to_string(*more)}});
    }
    hang_up();
  }
  void close_quietly() {
    if (std::exchange(closed_, true) || !is_socket(fd_, inode_)) return;
    hang_up();
  }
  [[nodiscard]] bool is_stale() const { return !is_socket(fd_, inode_); }
  size_t update_cost(Time now) { return cost_ = closed_ ? 0 : meter_.cost(now); }
  [[nodiscard]] bool has_calls() const { return !closed_ && meter_.has_calls(); }

 private:
  void count(Chunks bytes, Time now) {
    const size_t before = cost_;
    for (const auto& piece : bytes) {
      if (const auto reason = meter_.received(piece, now)) return close(*reason);
    }
    cost_ = meter_.cost(now);
    if (cost_ > before) state_->enforce_cost_limit(now);
  }

  /// gRPC wakes up and sees the end; its pending write fails.
  void hang_up() {
    hung_up_ = true;
    shutdown(fd_, SHUT_RDWR);
  }

  const std::shared_ptr<State> state_;
  const int fd_;
  const uint64_t inode_;
  const std::string resource_;
  const std::function<void()> ended_;
  Http2Meter meter_;
  size_t cost_ = 0;
  bool closed_ = false;   ///< It is not measured any more.
  bool hung_up_ = false;  ///< It was closed here.
};

void FloodGuard::State::enforce_cost_limit(Time now) {
  while (true) {
    size_t all = 0;
    Connection* most = nullptr;
    size_t most_cost = 0;
    for (const auto& [fd, connection] : by_fd) {
      const size_t cost = connection->update_cost(now);
      all += cost;
      if (cost > most_cost) most = connection.get();
      most_cost = std::max(most_cost, cost);
    }
    if (all <= kMaxCost || most == nullptr) return;
    most->close("it uses more memory than any other connection");
  }
}

FloodGuard::FloodGuard() : state_(std::make_shared<State>()) {}

FloodGuard::~FloodGuard() {
  std::map<int, std::shared_ptr<Connection>> all;
  {
    const std::lock_guard lock(state_->mutex);
    all.swap(state_->by_fd);
  }
  for (const auto& [fd, connection] : all) untap_socket(fd);
}

void FloodGuard::watch(int fd, uint64_t inode, std::string resource, std::function<void()> ended) {
  auto connection =
      std::make_shared<Connection>(state_, fd, inode, std::move(resource), std::move(ended));
  {
    const std::lock_guard lock(state_->mutex);
    state_->by_fd[fd] = connection;
  }
  tap_socket(fd, std::move(connection));
}

void FloodGuard::forget(int fd) {
  untap_socket(fd);
  const std::lock_guard lock(state_->mutex);
  state_->by_fd.erase(fd);
}

void FloodGuard::forget_closed() {
  std::vector<int> gone;
  {
    const std::lock_guard lock(state_->mutex);
    for (const auto& [fd, connection] : state_->by_fd) {
      if (connection->is_stale()) gone.push_back(fd);
    }
  }
  for (const int fd : gone) forget(fd);
}

bool FloodGuard::has_calls(int fd) const {
  const std::lock_guard lock(state_->mutex);
  const auto it = state_->by_fd.find(fd);
  return it != state_->by_fd.end() && it->second->has_calls();
}

void FloodGuard::close(int fd) {
  const std::lock_guard lock(state_->mutex);
  const auto it = state_->by_fd.find(fd);
  if (it != state_->by_fd.end()) it->second->close_quietly();
}

}  // namespace patchbay::serve
