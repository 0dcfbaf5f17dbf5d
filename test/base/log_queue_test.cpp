#include "base/log_queue.h"

#include <semaphore>

#include <gtest/gtest.h>

#include "fake/event_log.h"

namespace patchbay::log {
namespace {

using std::chrono::milliseconds;

/// Tests a queue whose writer finishes a text only when the test allows it.
class LogQueueTest : public testing::Test {
 protected:
  static constexpr size_t kLimit = 4096;

  LogQueueTest()
      : queue_(kLimit,
               {.write = [this](const std::string& text) { take(text); },
                .dropped = [](size_t lines) { return std::to_string(lines) + " lost\n"; }}) {}
  ~LogQueueTest() override { read_on(); }

  void take(const std::string& text) {
    begun_.add(text);
    may_end_.acquire();
    may_end_.release(reads_on_ ? 1 : 0);
    written_.add(text);
  }
  void read_one() { may_end_.release(); }
  void read_on() {
    reads_on_ = true;
    may_end_.release();
  }

  /// Fills the queue while its writer hangs in the first text. Returns the number of queued texts.
  size_t fill() {
    queue_.add("first\n");
    EXPECT_TRUE(begun_.wait_for([](const std::string& text) { return text == "first\n"; }));
    for (int i = 0; i < 3; ++i) queue_.add(std::string(1000, 'x') + "\n");
    return 3;
  }

  [[nodiscard]] std::string all_written() const {
    std::string text;
    for (const std::string& part : written_.all()) text += part.size() > 100 ? "long\n" : part;
    return text;
  }

  std::atomic<bool> reads_on_ = false;
  std::counting_semaphore<> may_end_{0};
  fake::EventLog<std::string> begun_;
  fake::EventLog<std::string> written_;
  LogQueue queue_;
};

TEST_F(LogQueueTest, WritesLinesInOrder) {
  read_on();
  queue_.add("a\n");
  queue_.add("b\n");
  EXPECT_TRUE(queue_.flush(fake::kPatience));
  EXPECT_EQ(all_written(), "a\nb\n");
}

TEST_F(LogQueueTest, AddNeverBlocksWhenTheReaderStalls) {
  fill();
  for (int i = 0; i < 100'000; ++i) queue_.add("more and more\n");
  EXPECT_FALSE(queue_.flush(milliseconds(0)));
  read_on();
  EXPECT_TRUE(queue_.flush(fake::kPatience));
  EXPECT_LT(written_.size(), 100U) << "it holds no more than its limit";
}

TEST_F(LogQueueTest, DroppedLinesAreCountedAtTheirPosition) {
  fill();
  queue_.add(std::string(1000, 'y') + "\n");
  queue_.add("a\nb\n");
  EXPECT_EQ(written_.size(), 0U);
  read_on();
  ASSERT_TRUE(queue_.flush(fake::kPatience));
  queue_.add("later\n");
  ASSERT_TRUE(queue_.flush(fake::kPatience));
  EXPECT_EQ(all_written(), "first\nlong\nlong\nlong\n3 lost\nlater\n");
}

TEST_F(LogQueueTest, ReportsDroppedLinesWhenHalfTheQueueIsFree) {
  fill();
  queue_.add(std::string(1000, 'y') + "\n");
  read_one();
  ASSERT_TRUE(begun_.wait_until([](const auto& begun) { return begun.size() == 2; }));
  queue_.add("too early\n");
  read_one();
  // Two of the long texts are left, and the writer has begun with one of them.
  ASSERT_TRUE(begun_.wait_until([](const auto& begun) { return begun.size() == 3; }));
  queue_.add("too early\n");
  read_one();
  ASSERT_TRUE(begun_.wait_until([](const auto& begun) { return begun.size() == 4; }));
  queue_.add("after\n");
  read_on();
  ASSERT_TRUE(queue_.flush(fake::kPatience));
  EXPECT_EQ(all_written(), "first\nlong\nlong\nlong\n3 lost\nafter\n");
}

TEST_F(LogQueueTest, ReportsALineLargerThanTheQueue) {
  read_on();
  queue_.add(std::string(kLimit, 'x') + "\n");
  EXPECT_TRUE(queue_.flush(fake::kPatience));
  EXPECT_EQ(all_written(), "1 lost\n");
}

}  // namespace
}  // namespace patchbay::log
