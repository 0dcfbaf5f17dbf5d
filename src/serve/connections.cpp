#include "serve/connections.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/whole_number.h"

namespace patchbay::serve {
namespace {

/// gRPC reports no closed connections, so they are checked each time after this many new ones.
constexpr uint64_t kSweepInterval = 64;

/// The inode of the socket `fd`; 0 if it is closed or not a socket.
uint64_t socket_inode(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0 || !S_ISSOCK(status.st_mode)) return 0;
  return status.st_ino;
}

/// The upper half of our descriptors, bounded: a table of them takes kernel memory.
std::pair<int, int> descriptor_range() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const int end = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, kMaxTappedDescriptor));
  return {end / 2, end};
}

}  // namespace

Result<UniqueFd> Connections::move_to_fresh_descriptor(UniqueFd fd) {
  const auto [first, end] = descriptor_range();
  if (next_number_ < first || next_number_ >= end) next_number_ = first;
  int moved = fcntl(fd.get(), F_DUPFD_CLOEXEC, next_number_);
  if (moved < 0) moved = fcntl(fd.get(), F_DUPFD_CLOEXEC, first);
  if (moved < 0) return fail_errno("cannot keep a connection", errno);
  next_number_ = moved + 1;
  return UniqueFd(moved);
}

void Connections::forget_closed() {
  std::erase_if(by_fd_,
                [](const auto& entry) { return socket_inode(entry.first) != entry.second.inode; });
  guard_.forget_closed();
}

size_t Connections::count(const std::shared_ptr<ResourceChannel>& channel) const {
  return static_cast<size_t>(std::ranges::count_if(
      by_fd_, [&](const auto& entry) { return entry.second.channel == channel; }));
}

bool Connections::close_oldest_idle(const std::shared_ptr<ResourceChannel>& channel) {
  auto oldest = by_fd_.end();
  for (auto it = by_fd_.begin(); it != by_fd_.end(); ++it) {
    if (it->second.channel != channel || guard_.has_calls(it->first)) continue;
    if (oldest == by_fd_.end() || it->second.number < oldest->second.number) oldest = it;
  }
  if (oldest == by_fd_.end()) return false;
  guard_.close(oldest->first);
  by_fd_.erase(oldest);
  return true;
}

Result<UniqueFd> Connections::add(UniqueFd accepted, std::shared_ptr<ResourceChannel> channel) {
  const std::lock_guard lock(mutex_);
  if (++added_ % kSweepInterval == 0 || count(channel) >= kMaxPerResource) forget_closed();
  if (const auto open = count(channel); open >= kMaxPerResource && !close_oldest_idle(channel)) {
    return fail("refused a connection: " + std::to_string(open) + " are in use already");
  }
  auto fd = move_to_fresh_descriptor(std::move(accepted));
  if (!fd) return fd;
  const auto inode = socket_inode(fd->get());
  const auto hung_up = std::make_shared<std::atomic<bool>>(false);
  guard_.watch(fd->get(), inode, channel->resource, [hung_up, channel] {
    if (!hung_up->exchange(true)) channel->on_hang_up();
  });
  by_fd_[fd->get()] = {
      .inode = inode, .channel = std::move(channel), .number = added_, .hung_up = hung_up};
  return fd;
}

std::shared_ptr<ResourceChannel> Connections::find(const std::string& peer) const {
  constexpr std::string_view kPrefix = "fd:";
  if (!peer.starts_with(kPrefix)) return nullptr;
  const auto number = parse_whole<int>(std::string_view(peer).substr(kPrefix.size()));
  if (!number) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto it = by_fd_.find(*number);
  return it == by_fd_.end() ? nullptr : it->second.channel;
}

bool Connections::has_open_connection(const ResourceChannel& channel) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(by_fd_, [&](const auto& entry) {
    const auto& [fd, connection] = entry;
    return connection.channel.get() == &channel && !*connection.hung_up &&
           socket_inode(fd) == connection.inode;
  });
}

std::vector<UniqueFd> Connections::duplicate_descriptors() const {
  const std::lock_guard lock(mutex_);
  std::vector<UniqueFd> copies;
  for (const auto& [number, connection] : by_fd_) {
    UniqueFd copy(fcntl(number, F_DUPFD_CLOEXEC, 0));
    // The number may have been reused.
    if (copy && socket_inode(copy.get()) == connection.inode) copies.push_back(std::move(copy));
  }
  return copies;
}

}  // namespace patchbay::serve
