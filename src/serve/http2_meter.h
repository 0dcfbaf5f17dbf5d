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

/// Frames of one direction of an HTTP/2 connection, found by their heads. Pure.
class Http2Frames {
 public:
  enum class Type : uint8_t {
    data = 0,
    headers = 1,
    reset = 3,
    settings = 4,
    ping = 6,
  };
  static constexpr uint8_t kEndStream = 1;  ///< A flag of data and headers.
  static constexpr uint8_t kAck = 1;        ///< The same flag, of settings and ping: ACK.

  struct Frame {
    uint32_t length = 0;
    Type type = Type::data;
    uint8_t flags = 0;
    uint32_t stream = 0;
  };

  /// `skipped`: bytes that come before the first frame.
  explicit Http2Frames(size_t skipped) : payload_left_(skipped) {}

  /// Takes the bytes up to the end of the next head. None: no more heads are in them.
  [[nodiscard]] std::optional<Frame> next(std::span<const uint8_t>& bytes);

 private:
  static constexpr size_t kHeaderBytes = 9;

  size_t payload_left_;  ///< Of a payload.
  uint8_t header_[kHeaderBytes] = {};
  size_t header_received_ = 0;  ///< Of a head.
};

/// What a peer has gRPC do on one connection, and what gRPC keeps in memory for it, as far as it
/// can be seen from the heads of frames: gRPC has no bounds of its own for most of it. Whatever a
/// kubelet does is far below the bounds. Pure: time is given. One thread at a time.
class Http2Meter {
 public:
  using Time = LeakyBucket::Time;

  /// Calls that are open at a time. gRPC tells it to the peer, too, and a client waits then.
  static constexpr size_t kMaxCalls = 100;
  /// SETTINGS and PING that were not answered, since the peer does not read.
  static constexpr size_t kMaxUnanswered = 100;
  /// Calls that the peer takes back: gRPC keeps what they took until it comes round to it.
  static constexpr double kResetBurst = 100;
  static constexpr double kResetsPerSecond = 20;
  /// Frames, other than those that belong to calls that were answered, or that carry something.
  static constexpr double kFrameBurst = 4000;
  static constexpr double kFramesPerSecond = 1000;

  /// What the peer has sent, and is not handled yet. A reason: it is too much.
  [[nodiscard]] std::optional<std::string> received(std::span<const uint8_t> bytes, Time now);
  /// What it was sent.
  void sent(std::span<const uint8_t> bytes);

  /// An estimate of the bytes that gRPC keeps for the peer beyond what each connection needs.
  [[nodiscard]] size_t cost(Time now);
  [[nodiscard]] bool has_calls() const { return !calls_.empty(); }

 private:
  using Frame = Http2Frames::Frame;

  [[nodiscard]] std::optional<std::string> count(const Frame& frame, Time now);
  /// False: it was not open.
  bool end_call(uint32_t stream);

  Http2Frames received_{kHttp2Preface.size()};
  Http2Frames sent_{0};
  std::map<uint32_t, size_t> calls_;  ///< By stream: the bytes that came for it.
  size_t bytes_ = 0;                  ///< Of all of these.
  uint32_t newest_ = 0;               ///< Stream that was opened.
  size_t unanswered_ = 0;
  LeakyBucket resets_{kResetBurst, kResetsPerSecond};
  LeakyBucket frames_{kFrameBurst, kFramesPerSecond};
};

}  // namespace patchbay::serve
