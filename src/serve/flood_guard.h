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

/// Closes connections by which a peer has gRPC do, or keep, more than a kubelet ever would: each by
/// its own meter, and the one that costs most while all together cost too much. So what floods is
/// closed, and nobody else. It sees bytes before gRPC does. Thread-safe.
class FloodGuard {
 public:
  using Time = Http2Meter::Time;

  /// What all connections together may cost beyond what each of them needs, in bytes.
  static constexpr size_t kMaxCost = size_t{20} << 20U;

  FloodGuard();
  ~FloodGuard();
  FloodGuard(const FloodGuard&) = delete;
  FloodGuard& operator=(const FloodGuard&) = delete;

  /// From now on, until forget(). `inode` is the socket's: a number that is another's by then is
  /// left alone. `ended` is called when nothing more comes, maybe more than once, on any thread,
  /// while gRPC holds locks.
  void watch(int fd, uint64_t inode, std::string resource, std::function<void()> ended);
  void forget(int fd);
  /// … of all that are closed by now. Not while another thread watches a new one.
  void forget_closed();

  /// Whether calls are open on the connection; false for one that is not known or being closed.
  [[nodiscard]] bool has_calls(int fd) const;
  /// Has gRPC see its end.
  void close(int fd);

 private:
  class Connection;
  struct State;

  std::shared_ptr<State> state_;
};

}  // namespace patchbay::serve
