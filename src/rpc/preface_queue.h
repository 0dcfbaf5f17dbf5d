#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <string_view>

#include "base/unique_fd.h"
#include "loop/event_loop.h"

namespace patchbay::rpc {

/// The first bytes of an HTTP/2 client, sent immediately after it connects.
inline constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Keeps accepted connections until their first bytes arrive, and then hands them to gRPC, which
/// would keep a silent one for ever. A connection that does not start HTTP/2 within kTimeout is
/// closed. If the queue is full, its oldest connection is closed for a new one. Loop thread.
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
  std::list<Entry> entries_;  ///< In the order of arrival.
};

}  // namespace patchbay::rpc
