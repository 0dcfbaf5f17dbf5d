#include "plugin/leader_election.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ranges>
#include <utility>
#include <vector>

#include "base/log.h"

namespace patchbay::plugin {
namespace {

/// Retry delay for an instance that cannot be reached now, or that closes all connections.
constexpr loop::Milliseconds kRetryDelay{1000};
/// Maximum number of consecutive connections that end without data and are retried at once: these
/// instances have just ended. After more, kRetryDelay applies.
constexpr int kMaxSilentDisconnects = 3;
constexpr size_t kMaxFollowers = 16;
constexpr size_t kMaxGreeting = 256;
constexpr char kPing = '.';

/// "pid 7 on host". In a Pod, the host's name is that of the Pod.
std::string own_greeting() {
  std::array<char, 128> host{};
  gethostname(host.data(), host.size() - 1);
  return "pid " + std::to_string(getpid()) + " on " + host.data() + "\n";
}

/// If the socket is full, the text is lost: the peer does not read.
void send_text(int fd, const std::string& text) {
  [[maybe_unused]] const auto sent =
      send(fd, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

enum class Received { data, nothing, end };

Received receive(int fd, std::string& text) {
  std::array<char, kMaxGreeting> bytes{};
  const ssize_t size = recv(fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (size > 0) {
    text.assign(bytes.data(), static_cast<size_t>(size));
    return Received::data;
  }
  const bool later = size < 0 && (errno == EAGAIN || errno == EINTR);
  return later ? Received::nothing : Received::end;
}

}  // namespace

LeaderElection::LeaderElection(loop::EventLoop& loop, const std::string& kubelet_directory,
                               std::string resource, std::string id, loop::Task elected)
    : loop_(loop),
      directory_(kubelet_directory, resource),
      resource_(std::move(resource)),
      id_(std::move(id)),
      on_elected_(std::move(elected)) {}

LeaderElection::~LeaderElection() {
  const bool had_one = candidate_.listener != nullptr;
  candidate_.listener.reset();
  if (had_one) directory_.remove_stale(candidate_.number);
}

void LeaderElection::campaign() {
  if (!directory_.exists() || (candidate_.listener && candidate_.listener->is_at_path())) return;
  candidate_ = {};
  auto candidate =
      directory_.take_number(loop_, id_, [this](UniqueFd fd) { accept(std::move(fd)); });
  if (candidate) {
    candidate_ = *std::move(candidate);
    failure_.clear();
    return find_predecessor();
  }
  if (std::exchange(failure_, candidate.error().message) != failure_) {
    log::info("leader election unavailable: another instance may register the same resource",
              {{"resource", resource_}, {"reason", failure_}});
  }
  // Other instances may have sockets in a directory that is read-only for this one.
  find_predecessor();
}

void LeaderElection::entry_changed(const std::string& name) {
  if (candidate_.listener && name == std::to_string(candidate_.number)) campaign();
}

std::string LeaderElection::path() const {
  return candidate_.listener ? directory_.path_of(candidate_.number) : std::string();
}

void LeaderElection::find_predecessor() {
  retry_timer_.reset();
  if (elected() || predecessor_connection_) return;
  const auto numbers = directory_.numbers();
  const auto mine =
      candidate_.listener ? std::ranges::lower_bound(numbers, candidate_.number) : numbers.end();
  const std::vector<uint64_t> before(numbers.begin(), mine);
  for (const uint64_t number : std::views::reverse(before)) {
    auto connection = rpc::connect_unix(directory_.path_of(number));
    if (connection) return follow_predecessor(*std::move(connection));
    const int error = connection.error();
    if (error == ECONNREFUSED || error == ENOENT) continue;  // Its process has ended.
    retry_timer_ = loop_.after(kRetryDelay, [this] { find_predecessor(); });
    return;
  }
  become_leader();
}

void LeaderElection::follow_predecessor(UniqueFd connection) {
  predecessor_connection_ = std::move(connection);
  send_text(predecessor_connection_.get(), {kPing});
  greeting_.clear();
  greeting_complete_ = predecessor_hung_ = false;
  ping_unanswered_ = true;
  predecessor_watch_ = loop_.watch_readable(predecessor_connection_.get(),
                                            [this](loop::FdEvent) { on_predecessor_message(); });
  ping_timer_ = loop_.every(kPingPeriod, [this] { ping_predecessor(); });
}

void LeaderElection::on_predecessor_message() {
  std::string text;
  switch (receive(predecessor_connection_.get(), text)) {
    case Received::nothing:
      return;
    case Received::end:
      return on_predecessor_lost();
    case Received::data:
      break;
  }
  ping_unanswered_ = false;
  if (std::exchange(predecessor_hung_, false)) {
    log::info("preceding instance is responsive again", {{"resource", resource_}});
  }
  if (greeting_complete_) return;
  greeting_ += text;
  const size_t end = std::min(greeting_.find('\n'), kMaxGreeting);
  if (greeting_.size() <= end) return;
  greeting_.resize(end);
  on_greeting();
}

void LeaderElection::on_greeting() {
  greeting_complete_ = true;
  silent_disconnects_ = 0;
  was_standby_ = true;
  log::info({"standby: another instance serves the resource", log::EventKind::unregistered},
            {{"resource", resource_}, {"instance", greeting_}});
}

void LeaderElection::on_predecessor_lost() {
  predecessor_watch_.reset();
  ping_timer_.reset();
  predecessor_connection_.reset();
  if (!greeting_complete_ && ++silent_disconnects_ > kMaxSilentDisconnects) {
    retry_timer_ = loop_.after(kRetryDelay, [this] { find_predecessor(); });
    return;
  }
  find_predecessor();
}

void LeaderElection::ping_predecessor() {
  if (!std::exchange(ping_unanswered_, true))
    return send_text(predecessor_connection_.get(), {kPing});
  if (std::exchange(predecessor_hung_, true)) return;
  log::warning("preceding instance is unresponsive: still in standby",
               {{"resource", resource_}, {"instance", greeting_}});
}

void LeaderElection::become_leader() {
  auto call = std::exchange(on_elected_, nullptr);
  directory_.remove_stale(candidate_.number);
  if (was_standby_) {
    log::info({"previous instance released the resource: taking over", log::EventKind::registered},
              {{"resource", resource_}});
  }
  call();
}

void LeaderElection::accept(UniqueFd connection) {
  if (followers_.size() >= kMaxFollowers) return;
  const int fd = connection.get();
  send_text(fd, own_greeting());
  Follower& follower = followers_[fd];
  follower.connection = std::move(connection);
  follower.reading =
      loop_.watch_readable(fd, [this, fd](loop::FdEvent) { on_follower_message(fd); });
}

void LeaderElection::on_follower_message(int fd) {
  Follower& follower = followers_.at(fd);
  std::string text;
  switch (receive(fd, text)) {
    case Received::nothing:
      return;
    case Received::data:
      follower.is_standby = true;
      return send_text(fd, {kPing});
    case Received::end:
      break;
  }
  // If a standby instance was killed, its socket file still exists: remove it. A connection without
  // data is a check by another instance. A check in reply would cause the next one, without end.
  const bool was_standby = follower.is_standby;
  followers_.erase(fd);
  if (was_standby) directory_.remove_stale(candidate_.number);
}

}  // namespace patchbay::plugin
