#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "serve/http2_preface.h"
#include "serve/leaky_bucket.h"

namespace patchbay::serve {

/// Finds the frames in one direction of an HTTP/2 connection, by their headers. Pure.
class Http2Frames {
 public:
  enum class Type : uint8_t {
    data = 0,
    headers = 1,
    reset = 3,
    settings = 4,
    ping = 6,
  };
  static constexpr uint8_t kEndStream = 1;  ///< Flag of DATA and HEADERS.
  static constexpr uint8_t kAck = 1;        ///< Flag of SETTINGS and PING, with the same value.

  struct Frame {
    uint32_t length = 0;
    Type type = Type::data;
    uint8_t flags = 0;
    uint32_t stream = 0;
  };

  /// `skipped`: number of bytes before the first frame.
  explicit Http2Frames(size_t skipped) : payload_left_(skipped) {}

  /// Consumes the bytes up to the end of the next header. Empty: they contain no further complete
  /// header.
  [[nodiscard]] std::optional<Frame> next(std::span<const uint8_t>& bytes);

 private:
  static constexpr size_t kHeaderBytes = 9;

  size_t payload_left_;  ///< Rest of the current payload.
  uint8_t header_[kHeaderBytes] = {};
  size_t header_received_ = 0;  ///< Bytes of the next header.
};

/// Measures the load of one connection on gRPC, and its memory in gRPC, as far as frame headers
/// show it. gRPC itself has no limits for most of it. A kubelet stays far below these limits. Pure:
/// time is an argument. One thread at a time.
class Http2Meter {
 public:
  using Time = LeakyBucket::Time;

  /// Concurrent calls. gRPC sends this limit to the peer, too, and a client waits then.
  static constexpr size_t kMaxCalls = 100;
  /// SETTINGS and PING without an answer, because the peer does not read.
  static constexpr size_t kMaxUnanswered = 100;
  /// Calls that the peer cancels: gRPC keeps their memory until it processes them.
  static constexpr double kResetBurst = 100;
  static constexpr double kResetsPerSecond = 20;
  /// Frames, except for those that belong to an answered call, or that contain data.
  static constexpr double kFrameBurst = 4000;
  static constexpr double kFramesPerSecond = 1000;

  /// Takes bytes from the peer. Returns a reason if they exceed a limit.
  [[nodiscard]] std::optional<std::string> received(std::span<const uint8_t> bytes, Time now);
  /// Takes bytes sent to the peer.
  void sent(std::span<const uint8_t> bytes);

  /// An estimate of the bytes that gRPC stores for the peer, beyond the need of each connection.
  [[nodiscard]] size_t cost(Time now);
  [[nodiscard]] bool has_calls() const { return !calls_.empty(); }

 private:
  using Frame = Http2Frames::Frame;

  [[nodiscard]] std::optional<std::string> count(const Frame& frame, Time now);
  /// False: it was not open.
  bool end_call(uint32_t stream);

  Http2Frames received_{kHttp2Preface.size()};
  Http2Frames sent_{0};
  std::map<uint32_t, size_t> calls_;  ///< Received bytes by stream.
  size_t bytes_ = 0;                  ///< Sum of them.
  uint32_t newest_ = 0;               ///< Highest stream opened.
  size_t unanswered_ = 0;
  LeakyBucket resets_{kResetBurst, kResetsPerSecond};
  LeakyBucket frames_{kFrameBurst, kFramesPerSecond};
};

}  // namespace patchbay::serve
