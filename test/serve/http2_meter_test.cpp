#include "serve/http2_meter.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace patchbay::serve {
namespace {

using std::chrono_literals::operator""s;
using Type = Http2Frames::Type;

std::string frame(Type type, uint8_t flags, uint32_t stream, size_t length = 0) {
  std::string text;
  const auto put = [&](size_t number, size_t bytes) {
    while (bytes-- > 0) text += static_cast<char>(number >> (8 * bytes) & 0xffU);
  };
  put(length, 3);
  put(static_cast<size_t>(type), 1);
  put(flags, 1);
  put(stream, 4);
  return text + std::string(length, 'x');
}

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

class Http2MeterTest : public ::testing::Test {
 protected:
  Http2MeterTest() { EXPECT_EQ(receive(std::string(kHttp2Preface)), ""); }

  std::string receive(const std::string& text) {
    return meter_.received(bytes_of(text), now_).value_or("");
  }
  void send(const std::string& text) { meter_.sent(bytes_of(text)); }
  /// A call with its answer, as a kubelet makes them.
  std::string call(uint32_t stream, size_t length = 50) {
    auto reason = receive(frame(Type::headers, 0, stream, 80) +
                          frame(Type::data, Http2Frames::kEndStream, stream, length));
    send(frame(Type::headers, 0, stream, 20) + frame(Type::data, 0, stream, 100) +
         frame(Type::headers, Http2Frames::kEndStream, stream, 20));
    return reason;
  }

  Http2Meter::Time now_{};
  Http2Meter meter_;
};

TEST_F(Http2MeterTest, AllowsManySequentialCalls) {
  EXPECT_EQ(receive(frame(Type::headers, 0, 1, 80) + frame(Type::data, 1, 1, 5)), "");
  for (uint32_t i = 0; i < 20'000; ++i) {
    ASSERT_EQ(call(3 + 2 * i), "");
    ASSERT_EQ(receive(frame(Type::ping, 0, 0, 8)), "") << "it measures how fast we are";
    send(frame(Type::ping, Http2Frames::kAck, 0, 8));
  }
  EXPECT_TRUE(meter_.has_calls()) << "its stream";
  EXPECT_EQ(meter_.cost(now_), 0U);
}

TEST_F(Http2MeterTest, ParsesFramesAcrossChunks) {
  const std::string text = frame(Type::headers, 0, 1, 80) + frame(Type::data, 1, 1, 200'000);
  for (const char byte : text) ASSERT_EQ(receive(std::string(1, byte)), "");
  EXPECT_TRUE(meter_.has_calls());
  EXPECT_GT(meter_.cost(now_), 200'000U);
  for (const char byte : frame(Type::reset, 0, 1, 4)) send(std::string(1, byte));
  EXPECT_FALSE(meter_.has_calls());
  EXPECT_EQ(meter_.cost(now_), 0U);
}

TEST_F(Http2MeterTest, LimitsOpenCalls) {
  uint32_t stream = 1;
  for (size_t i = 0; i < Http2Meter::kMaxCalls; ++i, stream += 2) {
    ASSERT_EQ(receive(frame(Type::headers, 0, stream, 80)), "");
  }
  send(frame(Type::headers, Http2Frames::kEndStream, 7, 20));
  EXPECT_EQ(receive(frame(Type::headers, 0, stream, 80)), "") << "in the place of the other";
  EXPECT_EQ(receive(frame(Type::headers, Http2Frames::kEndStream, 9, 80)), "") << "known already";
  EXPECT_EQ(receive(frame(Type::headers, 0, stream + 2, 80)), "it has too many open calls");
}

TEST_F(Http2MeterTest, LimitsResetCalls) {
  uint32_t stream = 1;
  const auto take_back = [&] {
    stream += 2;
    return receive(frame(Type::headers, 0, stream, 80) + frame(Type::reset, 0, stream, 4));
  };
  for (int i = 0; i < Http2Meter::kResetBurst; ++i) ASSERT_EQ(take_back(), "");
  EXPECT_GT(meter_.cost(now_), 0U) << "gRPC may still have them";
  EXPECT_EQ(receive(frame(Type::reset, 0, 1, 4)), "") << "of a call that was answered";
  now_ += 1s;
  for (int i = 0; i < Http2Meter::kResetsPerSecond; ++i) ASSERT_EQ(take_back(), "");
  EXPECT_EQ(take_back(), "it cancels too many calls");
}

TEST_F(Http2MeterTest, LimitsUnreadAnswers) {
  for (size_t i = 0; i < 3 * Http2Meter::kMaxUnanswered; ++i) {
    ASSERT_EQ(receive(frame(Type::ping, 0, 0, 8)), "");
    send(frame(Type::ping, Http2Frames::kAck, 0, 8));
    ASSERT_EQ(receive(frame(Type::ping, Http2Frames::kAck, 0, 8)), "") << "ours is answered";
  }
  for (size_t i = 0; i < Http2Meter::kMaxUnanswered; ++i) {
    ASSERT_EQ(receive(frame(i % 2 == 0 ? Type::ping : Type::settings, 0, 0, 8)), "");
  }
  EXPECT_EQ(receive(frame(Type::ping, 0, 0, 8)), "it does not read its responses");
}

TEST_F(Http2MeterTest, LimitsEmptyFrames) {
  const std::string nothing = frame(Type::data, 0, 1);
  for (int i = 0; i < Http2Meter::kFrameBurst; ++i) ASSERT_EQ(receive(nothing), "");
  EXPECT_EQ(receive(nothing), "it sends too many frames without a request");
  now_ += 1s;
  EXPECT_EQ(receive(nothing), "") << "a while later";
  for (int i = 0; i < 100'000; ++i) ASSERT_EQ(receive(frame(Type::data, 0, 1, 256)), "");
}

}  // namespace
}  // namespace patchbay::serve
