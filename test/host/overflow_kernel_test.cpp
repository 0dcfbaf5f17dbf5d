#include <vector>

#include "host/facts/device_list.h"
#include "host/kernel_fixture.h"

namespace patchbay::host {
namespace {

class OverflowTest : public KernelTest {
 protected:
  void SetUp() override { SKIP_IF(fake::ZramDevice::unavailable()); }

  /// Causes more events than a small receive buffer can store, while the loop does not run.
  void overflow() { ASSERT_TRUE(fake::uevent_storm(fake::kNullDevice, 2000)); }
  static HostOptions small_buffer() {
    HostOptions options;
    options.receive_buffer_bytes = size_t{64} << 10U;
    return options;
  }
};

TEST_F(OverflowTest, RescansAfterLostEvents) {
  auto leaves = std::make_unique<fake::ZramDevice>();
  start(subsystems({"block", "mem"}), small_buffer());
  const std::string left = leaves->syspath();
  ASSERT_TRUE(comes(left));

  overflow();
  const fake::ZramDevice came;  // The events of this plug and of the next unplug are lost.
  leaves.reset();
  ASSERT_TRUE(comes(came.syspath()));
  if (came.syspath() != left) {
    EXPECT_TRUE(goes(left));
  }
  EXPECT_GT(host->event_counts().overflows, 0U);
  EXPECT_GT(host->event_counts().rescans, 0U);
  EXPECT_TRUE(until([&] { return listener.keys() == list_kernel_devices({}, {"block", "mem"}); }));

  const auto events = host->event_counts().kernel;
  const fake::ZramDevice next;
  EXPECT_TRUE(comes(next.syspath()));
  EXPECT_GT(host->event_counts().kernel, events) << "the monitor goes on";
}

TEST_F(OverflowTest, StormCausesFewReadings) {
  start(subsystems({"mem"}));
  const auto before = host->event_counts();
  ASSERT_TRUE(fake::uevent_storm(fake::kNullDevice, 10000));
  ASSERT_TRUE(until([&] { return host->event_counts().kernel >= before.kernel + 10000; }));
  const fake::ZramDevice zram;
  ASSERT_TRUE(until([&] { return host->event_counts().kernel > before.kernel + 10000; }));
  EXPECT_EQ(host->event_counts().overflows, 0U);
  EXPECT_LT(host->event_counts().reads - before.reads, 2000U);
}

TEST_F(OverflowTest, StormUnderUdevdEndsInTheRightState) {
  SKIP_IF(fake::UdevDaemon::unavailable());
  const fake::UdevDaemon udevd;
  ASSERT_TRUE(udevd.runs());
  start(subsystems({"block", "mem"}), small_buffer());
  overflow();
  std::vector<fake::ZramDevice> many(5);
  for (const auto& zram : many) EXPECT_TRUE(comes(zram.syspath())) << zram.name();
  many.pop_back();
  overflow();
  EXPECT_TRUE(until([&] { return listener.keys() == list_kernel_devices({}, {"block", "mem"}); }));
  EXPECT_GT(host->event_counts().overflows, 0U);
  EXPECT_TRUE(fake::UdevDaemon::settle());
}

/// Tests with a storm rely on this, because udevd needs minutes for a storm on some machines.
TEST_F(OverflowTest, SettleWaitsWhileQueueOfUdevdShrinks) {
  SKIP_IF(fake::UdevDaemon::unavailable());
  const fake::UdevDaemon udevd;
  ASSERT_TRUE(udevd.runs());
  constexpr std::chrono::seconds kBriefly{1};
  ASSERT_TRUE(fake::UdevDaemon::pause());
  EXPECT_TRUE(fake::uevent_storm(fake::kNullDevice, 5000));
  EXPECT_FALSE(fake::UdevDaemon::settle(kBriefly)) << "nothing is worked on";
  ASSERT_TRUE(fake::UdevDaemon::resume());
  EXPECT_TRUE(fake::UdevDaemon::settle(kBriefly)) << "each event takes less, all take more";
}

}  // namespace
}  // namespace patchbay::host
