#include "rpc/peers.h"

#include <poll.h>

#include <algorithm>
#include <thread>

namespace patchbay::rpc {
namespace {

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
