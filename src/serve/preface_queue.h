#pragma once

#include <cstdint>
#include <functional>
#include <list>

#include "base/unique_fd.h"
#include "loop/event_loop.h"

namespace patchbay::serve {

/// Where accepted connections wait for their first bytes, before gRPC has them: it would keep one
/// for ever that says nothing. One that does not speak HTTP/2, or not within kTimeout, is closed;
/// where many wait, the first of them goes, so that there is always room for one more. Loop thread.
class PrefaceQueue {
 public:
  static constexpr size_t kCapacity = 16;
  static constexpr loop::Milliseconds kTimeout{5000};

  PrefaceQueue(loop::EventLoop& loop, std::move_only_function<void(UniqueFd)> on_ready)
      : loop_(loop), on_ready_(std::move(on_ready)) {}

  void add(UniqueFd connection);

 private:
  struct Entry {
    UniqueFd fd;
    uint64_t number = 0;
    loop::Subscription readable{};
    loop::Subscription timeout{};
  };

  void on_readable(uint64_t number);
  void remove(uint64_t number);

  loop::EventLoop& loop_;
  std::move_only_function<void(UniqueFd)> on_ready_;
  uint64_t added_ = 0;
  std::list<Entry> entries_;  ///< In the order in which they came.
};

}  // namespace patchbay::serve
