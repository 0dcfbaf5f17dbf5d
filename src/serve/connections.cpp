#include "serve/connections.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/whole_number.h"

namespace patchbay::serve {
namespace {

/// The upper half of our descriptors, bounded: a table of them takes kernel memory.
std::pair<int, int> descriptor_range() {
  constexpr rlim_t kEnough = 8192;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const int end = static_cast<int>(std::min(limit.rlim_cur, kEnough));
  return {end / 2, end};
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

/// With the lock. False: the resource has its maximum of connections, all in use.
bool Connections::make_room(const ResourceChannel& channel) {
  size_t open = 0;
  auto oldest_idle = by_grpc_fd_.end();
  for (auto it = by_grpc_fd_.begin(); it != by_grpc_fd_.end(); ++it) {
    const Connection& connection = it->second;
    if (connection.channel.get() != &channel) continue;
    ++open;
    if (connection.channel.use_count() > 1) continue;
    if (oldest_idle == by_grpc_fd_.end() || connection.number < oldest_idle->second.number) {
      oldest_idle = it;
    }
  }
  if (open < kMaxPerResource) return true;
  if (oldest_idle == by_grpc_fd_.end()) return false;
  // gRPC sees the end of the connection and closes its copy.
  shutdown(oldest_idle->second.fd.get(), SHUT_RDWR);
  by_grpc_fd_.erase(oldest_idle);
  return true;
}

Result<UniqueFd> Connections::add(UniqueFd accepted,
                                  const std::shared_ptr<ResourceChannel>& channel) {
  const std::lock_guard lock(mutex_);
  if (!make_room(*channel)) {
    return fail("refused a connection: " + std::to_string(kMaxPerResource) + " are in use already");
  }
  auto copy = duplicate_as_fresh_number(accepted.get());
  if (!copy) return copy;
  const int number = copy->get();
  auto hang_up = loop_.when_hung_up(accepted.get(), [this, number] { on_hang_up(number); });
  // A reference count of its own, so that the calls of each connection are counted separately.
  const auto owner = std::make_shared<std::shared_ptr<ResourceChannel>>(channel);
  by_grpc_fd_.erase(number);  // An old connection whose end was not handled yet.
  by_grpc_fd_[number] = {.fd = std::move(accepted),
                         .channel = std::shared_ptr<ResourceChannel>(owner, channel.get()),
                         .number = ++added_,
                         .hang_up = std::move(hang_up)};
  return copy;
}

void Connections::on_hang_up(int grpc_fd) {
  const auto ended = [&] {
    const std::lock_guard lock(mutex_);
    return by_grpc_fd_.extract(grpc_fd);
  }();
  ended.mapped().channel->on_hang_up();
}

std::shared_ptr<ResourceChannel> Connections::find(const std::string& peer) const {
  constexpr std::string_view kPrefix = "fd:";
  if (!peer.starts_with(kPrefix)) return nullptr;
  const auto number = parse_whole<int>(std::string_view(peer).substr(kPrefix.size()));
  if (!number) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto it = by_grpc_fd_.find(*number);
  return it == by_grpc_fd_.end() ? nullptr : it->second.channel;
}

bool Connections::has_open_connection(const ResourceChannel& channel) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(
      by_grpc_fd_, [&](const auto& entry) { return entry.second.channel.get() == &channel; });
}

std::vector<int> Connections::descriptors() const {
  const std::lock_guard lock(mutex_);
  std::vector<int> all;
  for (const auto& [number, connection] : by_grpc_fd_) all.push_back(connection.fd.get());
  return all;
}

}  // namespace patchbay::serve
