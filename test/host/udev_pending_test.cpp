#include "host/udev/udev_pending.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "host/start.h"

namespace patchbay::host {
namespace {

using std::chrono::milliseconds;
using Keys = std::vector<std::string>;

const std::string kTty = "/sys/devices/a/tty/ttyUSB0";
const std::string kNull = "/sys/devices/virtual/mem/null";

TEST(UdevPending, NothingIsPendingWithoutUdevd) {
  UdevPending pending(false);
  EXPECT_TRUE(pending.kernel_event(kTty, 5, kStart));
  EXPECT_FALSE(pending.blocks(kTty));
  EXPECT_EQ(pending.next_expiry(), std::nullopt);
}

TEST(UdevPending, UdevEventReleasesTheDevice) {
  UdevPending pending(true);
  EXPECT_FALSE(pending.kernel_event(kTty, 5, kStart));
  EXPECT_TRUE(pending.blocks(kTty));
  EXPECT_TRUE(pending.udev_event(kTty, 5));
  EXPECT_FALSE(pending.blocks(kTty));
  EXPECT_EQ(pending.next_expiry(), std::nullopt);
}

TEST(UdevPending, EarlierUdevEventDoesNotRelease) {
  UdevPending pending(true);
  pending.kernel_event(kTty, 5, kStart);
  pending.kernel_event(kTty, 8, kStart);
  EXPECT_FALSE(pending.udev_event(kTty, 5));
  EXPECT_TRUE(pending.blocks(kTty));
  EXPECT_TRUE(pending.udev_event(kTty, 8));
}

TEST(UdevPending, LaterUdevEventReleases) {
  UdevPending pending(true);
  pending.kernel_event(kTty, 5, kStart);
  EXPECT_TRUE(pending.udev_event(kTty, 9));
  EXPECT_FALSE(pending.blocks(kTty));
}

TEST(UdevPending, DatabaseRecordReleasesTheDevice) {
  UdevPending pending(true);
  pending.kernel_event(kTty, 5, kStart);
  EXPECT_TRUE(pending.database_record(kTty));
  EXPECT_FALSE(pending.blocks(kTty));
  EXPECT_TRUE(pending.expire(kStart + milliseconds(2000)).empty()) << "it was read before";
}

TEST(UdevPending, DatabaseRecordNeedsNoKernelEvent) {
  UdevPending pending(true);
  EXPECT_TRUE(pending.database_record(kTty));
}

TEST(UdevPending, QueueEndReleasesDevicesWithoutRecordOnce) {
  UdevPending pending(true);
  pending.set_queue(true);
  pending.kernel_event(kTty, 5, kStart);
  pending.kernel_event(kNull, 6, kStart);
  EXPECT_TRUE(pending.database_record(kTty));
  EXPECT_EQ(pending.expire(kStart + milliseconds(29'999)), Keys{}) << "udevd is busy";
  pending.set_queue(false);
  EXPECT_EQ(pending.queue_ended(kStart), Keys{kNull});
  EXPECT_EQ(pending.queue_ended(kStart), Keys{});
  EXPECT_EQ(pending.expire(kStart + milliseconds(60000)), Keys{});
}

TEST(UdevPending, QueueEndReleasesDevicesPendingByThen) {
  UdevPending pending(true);
  pending.kernel_event(kTty, 5, kStart);
  pending.kernel_event(kNull, 6, kStart + milliseconds(2));
  EXPECT_EQ(pending.queue_ended(kStart + milliseconds(1)), Keys{kTty});
  EXPECT_TRUE(pending.blocks(kNull));
  pending.kernel_event(kTty, 7, kStart + milliseconds(3));
  EXPECT_EQ(pending.queue_ended(kStart + milliseconds(2)), Keys{kNull}) << "it came again later";
}

TEST(UdevPending, TimesOutAfterASecondWithoutQueue) {
  UdevPending pending(true);
  pending.kernel_event(kTty, 5, kStart);
  pending.kernel_event(kNull, 6, kStart + milliseconds(300));
  EXPECT_EQ(pending.next_expiry(), kStart + milliseconds(1000));
  EXPECT_EQ(pending.expire(kStart + milliseconds(999)), Keys{});
  EXPECT_EQ(pending.expire(kStart + milliseconds(1000)), Keys{kTty});
  EXPECT_EQ(pending.next_expiry(), kStart + milliseconds(1300));
  EXPECT_EQ(pending.expire(kStart + milliseconds(1300)), Keys{kNull});
  EXPECT_EQ(pending.next_expiry(), std::nullopt);
}

TEST(UdevPending, TimesOutLaterWhileQueueExists) {
  UdevPending pending(true);
  pending.set_queue(true);
  pending.kernel_event(kTty, 5, kStart);
  pending.defer(kNull, kStart + milliseconds(5));
  EXPECT_EQ(pending.next_expiry(), kStart + UdevPending::kBusyTimeout);
  EXPECT_EQ(pending.expire(kStart + milliseconds(29'999)), Keys{});
  EXPECT_EQ(pending.expire(kStart + milliseconds(30'000)), Keys{kTty});
  EXPECT_TRUE(pending.udev_event(kTty, 5)) << "a late event of udev still releases the device";
  pending.set_queue(false);
  EXPECT_EQ(pending.next_expiry(), kStart + milliseconds(1005));
}

TEST(UdevPending, EachEventRestartsTheTimeout) {
  UdevPending pending(true);
  pending.kernel_event(kTty, 5, kStart);
  pending.kernel_event(kTty, 6, kStart + milliseconds(900));
  EXPECT_EQ(pending.expire(kStart + milliseconds(1000)), Keys{});
  EXPECT_EQ(pending.expire(kStart + milliseconds(1900)), Keys{kTty});
}

TEST(UdevPending, RestartedTimeoutDoesNotDelayOtherDevices) {
  UdevPending pending(true);
  pending.kernel_event(kTty, 5, kStart);
  pending.kernel_event(kNull, 6, kStart + milliseconds(300));
  pending.kernel_event(kTty, 7, kStart + milliseconds(900));
  EXPECT_EQ(pending.next_expiry(), kStart + milliseconds(1300));
  EXPECT_EQ(pending.expire(kStart + milliseconds(1300)), Keys{kNull});
  EXPECT_EQ(pending.next_expiry(), kStart + milliseconds(1900));
}

TEST(UdevPending, ReleasedDeviceDoesNotDelayOtherDevices) {
  UdevPending pending(true);
  pending.kernel_event(kTty, 5, kStart);
  pending.kernel_event(kNull, 6, kStart + milliseconds(300));
  pending.udev_event(kTty, 5);
  EXPECT_EQ(pending.next_expiry(), kStart + milliseconds(1300));
  pending.kernel_event(kTty, 7, kStart + milliseconds(900));
  EXPECT_EQ(pending.next_expiry(), kStart + milliseconds(1300));
}

TEST(UdevPending, QueueIsForgottenWhenUdevdExits) {
  UdevPending pending(true);
  pending.set_queue(true);
  EXPECT_TRUE(pending.udevd_is_busy());
  pending.set_udevd(false);
  EXPECT_EQ(pending.set_udevd(true), Keys{});
  EXPECT_FALSE(pending.udevd_is_busy());
  EXPECT_FALSE(pending.kernel_event(kTty, 5, kStart));
  EXPECT_EQ(pending.next_expiry(), kStart + UdevPending::kUdevTimeout);
}

TEST(UdevPending, NothingIsAwaitedAfterUdevdExits) {
  UdevPending pending(true);
  pending.kernel_event(kTty, 5, kStart);
  pending.kernel_event_without_udev(kNull, 6, kStart);
  EXPECT_EQ(pending.set_udevd(false), Keys{kTty}) << "the other was read before";
  EXPECT_FALSE(pending.awaits_udev_event(kTty));
  EXPECT_FALSE(pending.awaits_udev_event(kNull));
  EXPECT_EQ(pending.next_expiry(), std::nullopt);
  pending.kernel_event_without_udev(kTty, 7, kStart);
  pending.kernel_remove(kNull, 8, kStart);
  EXPECT_EQ(pending.next_expiry(), std::nullopt);
}

TEST(UdevPending, IgnoresLateEventsOfAnEarlierPlug) {
  UdevPending pending(true);
  pending.kernel_event(kTty, 5, kStart);
  pending.kernel_remove(kTty, 6, kStart);
  EXPECT_FALSE(pending.blocks(kTty));
  EXPECT_FALSE(pending.udev_event(kTty, 5)) << "udev's add of what has left";
  EXPECT_FALSE(pending.database_record(kTty));
  pending.kernel_event(kTty, 7, kStart);
  EXPECT_FALSE(pending.udev_remove(kTty, 6)) << "udev's remove of the plug before";
  EXPECT_TRUE(pending.blocks(kTty));
  EXPECT_TRUE(pending.udev_event(kTty, 7));
}

TEST(UdevPending, UdevEventAfterRemovalNeedsLaterSequenceNumber) {
  UdevPending pending(true);
  pending.kernel_remove(kTty, 6, kStart);
  EXPECT_FALSE(pending.udev_event(kTty, 5));
  EXPECT_FALSE(pending.udev_event(kTty, 6)) << "the number of the removal itself";
  pending.kernel_remove(kTty, 8, kStart);
  EXPECT_TRUE(pending.udev_event(kTty, 9)) << "it was plugged again";
}

TEST(UdevPending, UdevRemoveEventOfSamePlugIsAccepted) {
  UdevPending pending(true);
  pending.kernel_event(kTty, 5, kStart);
  EXPECT_FALSE(pending.udev_remove(kTty, 4));
  EXPECT_TRUE(pending.udev_remove(kTty, 6));
  EXPECT_FALSE(pending.awaits_udev_event(kTty));
  pending.kernel_remove(kTty, 7, kStart);
  EXPECT_TRUE(pending.udev_remove(kTty, 7));
}

TEST(UdevPending, WaitsOnlyForDevicesThatNeedUdev) {
  UdevPending pending(true);
  pending.kernel_event_without_udev(kTty, 5, kStart);
  EXPECT_FALSE(pending.blocks(kTty));
  EXPECT_FALSE(pending.blocks_some());
  EXPECT_TRUE(pending.awaits_udev_event(kTty));
  pending.kernel_event(kNull, 6, kStart);
  EXPECT_TRUE(pending.blocks_some());
  EXPECT_EQ(pending.expire(kStart + milliseconds(1000)), Keys{kNull})
      << "the other was read before";
  EXPECT_FALSE(pending.blocks_some());
}

TEST(UdevPending, IgnoresLateEventsOfDevicesThatNeedNoUdev) {
  UdevPending pending(true);
  pending.kernel_event_without_udev(kTty, 5, kStart);
  pending.kernel_remove(kTty, 6, kStart);
  EXPECT_FALSE(pending.udev_event(kTty, 5)) << "udev's add of what has left";
  pending.kernel_event_without_udev(kTty, 7, kStart);
  EXPECT_FALSE(pending.udev_remove(kTty, 6)) << "udev's remove of the plug before";
  EXPECT_TRUE(pending.udev_event(kTty, 7));
}

/// Tests each event that ends the wait for a device.
TEST(UdevPending, ReportsWhetherAnyDeviceIsBlocked) {
  UdevPending pending(true);
  const auto block = [&](uint64_t seqnum) {
    EXPECT_FALSE(pending.blocks_some()) << "before " << seqnum;
    pending.kernel_event(kTty, seqnum, kStart);
    pending.kernel_event(kTty, seqnum + 1, kStart);
    EXPECT_TRUE(pending.blocks_some());
  };
  block(1);
  pending.udev_event(kTty, 2);
  block(3);
  pending.udev_remove(kTty, 4);
  block(5);
  pending.database_record(kTty);
  block(7);
  pending.kernel_remove(kTty, 9, kStart);
  block(10);
  pending.kernel_event_without_udev(kTty, 12, kStart);
  block(13);
  EXPECT_EQ(pending.queue_ended(kStart), Keys{kTty});
  block(15);
  EXPECT_EQ(pending.expire(kStart + milliseconds(1000)), Keys{kTty});
  block(17);
  EXPECT_EQ(pending.set_udevd(false), Keys{kTty});
  EXPECT_FALSE(pending.blocks_some());
}

TEST(UdevPending, UdevEventsAreAcceptedWithoutKernelEvents) {
  UdevPending pending(true);
  EXPECT_TRUE(pending.udev_event(kTty, 5));
  EXPECT_TRUE(pending.udev_remove(kTty, 6));
}

TEST(UdevPending, ExitOfUdevdReleasesAllDevices) {
  UdevPending pending(true);
  pending.set_queue(true);
  pending.kernel_event(kTty, 5, kStart);
  pending.kernel_event(kNull, 6, kStart);
  EXPECT_EQ(pending.set_udevd(false), (Keys{kTty, kNull}));
  EXPECT_FALSE(pending.blocks(kTty));
  EXPECT_TRUE(pending.kernel_event(kTty, 7, kStart));
}

TEST(UdevPending, DeferredDeviceWaitsForAnyEvent) {
  UdevPending pending(true);
  pending.set_queue(true);
  pending.defer(kTty, kStart);
  EXPECT_TRUE(pending.blocks(kTty));
  EXPECT_TRUE(pending.udev_event(kTty, 1));
  pending.defer(kNull, kStart);
  EXPECT_EQ(pending.queue_ended(kStart), Keys{kNull});
}

TEST(UdevPending, DeferringKeepsTheSequenceNumber) {
  UdevPending pending(true);
  pending.set_queue(true);
  pending.kernel_event(kTty, 5, kStart);
  pending.defer(kTty, kStart);
  EXPECT_FALSE(pending.udev_event(kTty, 4));
  EXPECT_TRUE(pending.blocks(kTty));
}

}  // namespace
}  // namespace patchbay::host
