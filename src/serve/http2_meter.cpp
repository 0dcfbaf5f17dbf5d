#include "serve/http2_meter.h"

#include <algorithm>

namespace patchbay::serve {
namespace {

using Type = Http2Frames::Type;

/// Memory of an open call in gRPC 1.51, measured with many calls.
constexpr size_t kBytesOfCall = size_t{32} << 10U;
/// A message is stored twice: as received bytes and parsed.
constexpr size_t kCopiesPerByte = 2;
/// A kubelet has one open stream and makes one call at a time.
constexpr size_t kFreeCalls = 2;
constexpr size_t kFreeBytes = size_t{64} << 10U;
/// A frame with this much data is free.
constexpr double kBytesOfFreeFrame = 256;
/// An answered call pays for its frames. A sent frame pays for the peer's WINDOW_UPDATE and for the
/// PING that measures the bandwidth.
constexpr double kFrameCreditPerAnswer = 32;
constexpr double kFrameCreditPerSentFrame = 4;

}  // namespace

std::optional<Http2Frames::Frame> Http2Frames::next(std::span<const uint8_t>& bytes) {
  while (!bytes.empty()) {
    const size_t skipped = std::min(payload_left_, bytes.size());
    payload_left_ -= skipped;
    bytes = bytes.subspan(skipped);
    if (bytes.empty()) return std::nullopt;
    const size_t taken = std::min(kHeaderBytes - header_received_, bytes.size());
    std::copy_n(bytes.begin(), taken, header_ + header_received_);
    header_received_ += taken;
    bytes = bytes.subspan(taken);
    if (header_received_ < kHeaderBytes) return std::nullopt;
    header_received_ = 0;
    const auto number = [this](size_t first, size_t count) {
      uint32_t value = 0;
      for (size_t i = first; i < first + count; ++i) value = value << 8U | header_[i];
      return value;
    };
    payload_left_ = number(0, 3);
    return Frame{.length = number(0, 3),
                 .type = static_cast<Type>(header_[3]),
                 .flags = header_[4],
                 .stream = number(5, 4) & 0x7fff'ffffU};
  }
  return std::nullopt;
}

std::optional<std::string> Http2Meter::received(std::span<const uint8_t> bytes, Time now) {
  while (const auto frame = received_.next(bytes)) {
    if (auto reason = count(*frame, now)) return reason;
  }
  return std::nullopt;
}

std::optional<std::string> Http2Meter::count(const Frame& frame, Time now) {
  const double cost =
      frame.type == Type::data ? std::max(0.0, 1 - frame.length / kBytesOfFreeFrame) : 1.0;
  if (!frames_.take(cost, now)) return "it sends too many frames without a request";
  switch (frame.type) {
    case Type::headers:
      if (frame.stream > newest_) {
        newest_ = frame.stream;
        calls_.emplace(frame.stream, 0);
      }
      if (calls_.size() > kMaxCalls) return "it has too many open calls";
      break;
    case Type::data:
      if (const auto call = calls_.find(frame.stream); call != calls_.end()) {
        call->second += frame.length;
        bytes_ += frame.length;
      }
      break;
    case Type::reset:
      if (end_call(frame.stream) && !resets_.take(1, now)) {
        return "it cancels too many calls";
      }
      break;
    case Type::settings:
    case Type::ping:
      if ((frame.flags & Http2Frames::kAck) == 0) ++unanswered_;
      if (unanswered_ > kMaxUnanswered) return "it does not read its responses";
      break;
  }
  return std::nullopt;
}

void Http2Meter::sent(std::span<const uint8_t> bytes) {
  while (const auto frame = sent_.next(bytes)) {
    switch (frame->type) {
      case Type::headers:
      case Type::data:
        frames_.give(kFrameCreditPerSentFrame);
        if ((frame->flags & Http2Frames::kEndStream) != 0) {
          end_call(frame->stream);
          frames_.give(kFrameCreditPerAnswer);
        }
        break;
      case Type::reset:
        end_call(frame->stream);
        break;
      case Type::settings:
      case Type::ping:
        if ((frame->flags & Http2Frames::kAck) != 0 && unanswered_ > 0) --unanswered_;
        break;
    }
  }
}

bool Http2Meter::end_call(uint32_t stream) {
  const auto call = calls_.find(stream);
  if (call == calls_.end()) return false;
  bytes_ -= call->second;
  calls_.erase(call);
  return true;
}

size_t Http2Meter::cost(Time now) {
  const auto beyond = [](size_t count, size_t free) { return count > free ? count - free : 0; };
  const auto calls = calls_.size() + static_cast<size_t>(std::max(0.0, resets_.taken(now)));
  return beyond(calls, kFreeCalls) * kBytesOfCall + beyond(bytes_, kFreeBytes) * kCopiesPerByte;
}

}  // namespace patchbay::serve
