#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/rate_limited_log.h"
#include "serve/http2_meter.h"
#include "serve/socket_tap.h"

namespace patchbay::serve {

/// Closes connections of peers that make gRPC do, or store, more than a kubelet ever would. Each
/// connection has a meter of its own. If all together cost too much, the one with the highest cost
/// is closed, and no other. It reads bytes before gRPC does. Thread-safe.
class FloodGuard {
 public:
  using Time = Http2Meter::Time;

  /// Maximum cost of all connections together, in bytes beyond the need of each.
  static constexpr size_t kMaxCost = size_t{20} << 20U;

  FloodGuard();
  ~FloodGuard();
  FloodGuard(const FloodGuard&) = delete;
  FloodGuard& operator=(const FloodGuard&) = delete;

  /// Watches the connection until forget(). `inode` is the socket's: a reused descriptor number is
  /// left alone. `ended` is called when the connection has ended, maybe more than once, on any
  /// thread, with gRPC's locks held.
  void watch(int fd, uint64_t inode, std::string resource, std::function<void()> ended);
  void forget(int fd);
  /// Forgets all closed connections. Not while another thread calls watch().
  void forget_closed();

  /// Whether the connection has open calls; false if it is unknown or being closed.
  [[nodiscard]] bool has_calls(int fd) const;
  /// Shuts the connection down: gRPC sees its end.
  void close(int fd);

 private:
  class Connection;
  struct State;

  std::shared_ptr<State> state_;
};

}  // namespace patchbay::serve
