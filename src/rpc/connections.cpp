#include "rpc/connections.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <thread>
#include <utility>

#include "base/whole_number.h"

namespace patchbay::rpc {
namespace {

/// The upper half of our descriptors, bounded: a table of them takes kernel memory.
std::pair<int, int> descriptor_range() {
  constexpr rlim_t kEnough = 8192;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const int end = static_cast<int>(std::min(limit.rlim_cur, kEnough));
  return {end / 2, end};
}

using Clock = std::chrono::steady_clock;

constexpr short kHangUp = POLLRDHUP | POLLHUP | POLLERR | POLLNVAL;
constexpr std::chrono::milliseconds kPollInterval{1};

std::vector<pollfd> polled_for(short events, const std::vector<int>& connections) {
  std::vector<pollfd> polled;
  for (const int fd : connections) {
    polled.push_back({.fd = fd, .events = events, .revents = 0});
  }
  return polled;
}

bool has_unread(const pollfd& connection) {
  return (connection.revents & POLLIN) != 0 && (connection.revents & kHangUp) == 0;
}

}  // namespace

Result<UniqueFd> Connections::duplicate_as_fresh_number(int fd) {
  const auto [first, end] = descriptor_range();
  if (next_number_ < first || next_number_ >= end) next_number_ = first;
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, next_number_);
  if (copy < 0) copy = fcntl(fd, F_DUPFD_CLOEXEC, first);
  if (copy < 0) return fail_errno("cannot keep a connection", errno);
  next_number_ = copy + 1;
  return UniqueFd(copy);
}

/// With the lock. False: the owner has its maximum of connections, all in use.
bool Connections::make_room(const SocketOwner& owner) {
  size_t open = 0;
  auto oldest_idle = by_grpc_fd_.end();
  for (auto it = by_grpc_fd_.begin(); it != by_grpc_fd_.end(); ++it) {
    const Connection& connection = it->second;
    if (connection.owner.get() != &owner) continue;
    ++open;
    if (connection.owner.use_count() > 1) continue;
    if (oldest_idle == by_grpc_fd_.end() || connection.number < oldest_idle->second.number) {
      oldest_idle = it;
    }
  }
  if (open < kMaxPerOwner) return true;
  if (oldest_idle == by_grpc_fd_.end()) return false;
  // gRPC sees the end of the connection and closes its copy.
  shutdown(oldest_idle->second.fd.get(), SHUT_RDWR);
  by_grpc_fd_.erase(oldest_idle);
  return true;
}

Result<UniqueFd> Connections::add(UniqueFd accepted, const std::shared_ptr<SocketOwner>& owner) {
  const std::lock_guard lock(mutex_);
  if (!make_room(*owner)) {
    return fail("refused a connection: " + std::to_string(kMaxPerOwner) + " are in use already");
  }
  auto copy = duplicate_as_fresh_number(accepted.get());
  if (!copy) return copy;
  const int number = copy->get();
  auto hang_up = loop_.when_hung_up(accepted.get(), [this, number] { on_hang_up(number); });
  // A reference count of its own, so that the calls of each connection are counted separately.
  const auto counted = std::make_shared<std::shared_ptr<SocketOwner>>(owner);
  by_grpc_fd_.erase(number);  // An old connection whose end was not handled yet.
  by_grpc_fd_[number] = {.fd = std::move(accepted),
                         .owner = std::shared_ptr<SocketOwner>(counted, owner.get()),
                         .number = ++added_,
                         .hang_up = std::move(hang_up)};
  return copy;
}

void Connections::on_hang_up(int grpc_fd) {
  const auto ended = [&] {
    const std::lock_guard lock(mutex_);
    return by_grpc_fd_.extract(grpc_fd);
  }();
  ended.mapped().owner->on_hang_up();
}

std::shared_ptr<SocketOwner> Connections::find_owner(const std::string& peer) const {
  constexpr std::string_view kPrefix = "fd:";
  if (!peer.starts_with(kPrefix)) return nullptr;
  const auto number = parse_whole<int>(std::string_view(peer).substr(kPrefix.size()));
  if (!number) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto it = by_grpc_fd_.find(*number);
  return it == by_grpc_fd_.end() ? nullptr : it->second.owner;
}

bool Connections::has_open_connection(const SocketOwner& owner) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(by_grpc_fd_,
                             [&](const auto& entry) { return entry.second.owner.get() == &owner; });
}

std::vector<int> Connections::descriptors() const {
  const std::lock_guard lock(mutex_);
  std::vector<int> all;
  for (const auto& [number, connection] : by_grpc_fd_) all.push_back(connection.fd.get());
  return all;
}

void wait_until_read(const std::vector<int>& connections, std::chrono::milliseconds at_most) {
  const auto end = Clock::now() + at_most;
  auto polled = polled_for(POLLIN | POLLRDHUP, connections);
  while (poll(polled.data(), polled.size(), 0) > 0 && std::ranges::any_of(polled, has_unread) &&
         Clock::now() < end) {
    // No event reports that other code has read.
    std::this_thread::sleep_for(kPollInterval);
  }
}

void wait_for_hang_up(const std::vector<int>& connections, std::chrono::milliseconds at_most) {
  const auto end = Clock::now() + at_most;
  auto open = polled_for(POLLRDHUP, connections);
  while (!open.empty()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return;
    // A signal interrupted it, or the time is over.
    if (poll(open.data(), open.size(), static_cast<int>(left.count())) <= 0) continue;
    std::erase_if(open, [](const pollfd& connection) { return connection.revents != 0; });
  }
}

}  // namespace patchbay::rpc
