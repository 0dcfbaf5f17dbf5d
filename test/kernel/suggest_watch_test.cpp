// Tests `suggest --watch`, which proposes a rule for the next device that is plugged.
#include <signal.h>

#include <gmock/gmock.h>

#include "fake/kernel_devices.h"
#include "fake/process.h"

namespace patchbay {
namespace {

using testing::HasSubstr;

TEST(SuggestWatchTest, ProposesARuleForThePluggedDevice) {
  fake::Process process({fake::patchbay_binary(), "suggest", "--watch"});
  ASSERT_TRUE(process.wait_for_line("plug a device in"));
  const fake::ZramDevice device;
  const auto end = process.wait();
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.out, HasSubstr("name: example.com/zram\n"));
  EXPECT_THAT(end.out, HasSubstr("#   example.com/zram  " + device.name() + "  /dev/" +
                                 device.name() + "  offered\n"));
}

TEST(SuggestWatchTest, SigintEndsWatch) {
  fake::Process process({fake::patchbay_binary(), "suggest", "--watch"});
  ASSERT_TRUE(process.wait_for_line("plug a device in"));
  process.send_signal(SIGINT);
  const auto end = process.wait();
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.err, HasSubstr("stopped before a device was plugged in"));
}

}  // namespace
}  // namespace patchbay
