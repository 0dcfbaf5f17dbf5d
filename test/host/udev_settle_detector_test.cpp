#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "fake/manual_loop.h"
#include "host/udev/udev_pending.h"
#include "host/udev/udevd_state.h"

namespace patchbay::host {
namespace {

using std::chrono_literals::operator""ms;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kScope = "/sys/devices/a/tty/ttyUSB0";
constexpr const char* kMeter = "/sys/devices/b/tty/ttyUSB1";

/// Combines events of the kernel and udevd's queue as UdevSource does.
class UdevSettleDetectorTest : public testing::Test {
 protected:
  void plugged(const char* key) { pending.kernel_event(key, ++seqnum, loop.now()); }
  void queue(bool exists) {
    queue_exists = exists;
    pending.set_queue(exists);
    if (!exists) queue_end.queue_ended();
  }

  fake::ManualLoop loop;
  UdevPending pending{true};
  uint64_t seqnum = 0;
  bool queue_exists = false;
  std::vector<std::string> freed;
  UdevSettleDetector queue_end{loop,
                               {.queue_exists = [this] { return queue_exists; },
                                .on_settled =
                                    [this](loop::Time end) {
                                      for (auto& key : pending.queue_ended(end))
                                        freed.push_back(key);
                                    }}};
};

TEST_F(UdevSettleDetectorTest, ReportsEndOfQueueAfterQuietTime) {
  queue(true);
  plugged(kScope);
  loop.advance(5ms);
  queue(false);
  loop.advance(19ms);
  EXPECT_THAT(freed, IsEmpty());
  loop.advance(1ms);
  EXPECT_THAT(freed, ElementsAre(kScope));
  EXPECT_FALSE(pending.blocks(kScope));
}

/// The device's event waits in udevd's socket while the queue of earlier events ends.
TEST_F(UdevSettleDetectorTest, IgnoresEndOfEarlierQueue) {
  queue(true);
  plugged(kScope);
  queue(false);
  loop.advance(10ms);
  queue(true);
  loop.advance(10000ms);
  EXPECT_THAT(freed, IsEmpty());
  EXPECT_TRUE(pending.blocks(kScope)) << "udevd is at it";
  queue(false);
  loop.advance(20ms);
  EXPECT_THAT(freed, ElementsAre(kScope));
}

/// The new queue exists, but its inotify event was not read when the timer runs.
TEST_F(UdevSettleDetectorTest, NoticesAQueueBeforeItsEventIsRead) {
  queue(true);
  plugged(kScope);
  queue(false);
  queue_exists = true;
  loop.advance(20ms);
  EXPECT_THAT(freed, IsEmpty());
  queue(true);
  queue(false);
  loop.advance(20ms);
  EXPECT_THAT(freed, ElementsAre(kScope));
}

TEST_F(UdevSettleDetectorTest, DevicePluggedAfterEndOfQueueWaitsForNextEnd) {
  queue(true);
  plugged(kScope);
  queue(false);
  loop.advance(1ms);
  plugged(kMeter);
  loop.advance(100ms);
  EXPECT_THAT(freed, ElementsAre(kScope));
  EXPECT_TRUE(pending.blocks(kMeter));
  queue(false);  // The queue was too short to be noticed.
  loop.advance(20ms);
  EXPECT_THAT(freed, ElementsAre(kScope, kMeter));
}

TEST_F(UdevSettleDetectorTest, LaterEndOfQueueRestartsQuietTime) {
  plugged(kScope);
  queue(false);
  loop.advance(15ms);
  plugged(kMeter);
  queue(false);
  loop.advance(15ms);
  EXPECT_THAT(freed, IsEmpty());
  loop.advance(5ms);
  EXPECT_THAT(freed, ElementsAre(kScope, kMeter));
}

}  // namespace
}  // namespace patchbay::host
