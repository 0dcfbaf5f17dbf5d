// Tests a killed udevd and the files that it leaves in /run/udev.
#include <string>

#include "fake/daemon_fixture.h"
#include "fake/kernel_devices.h"

namespace patchbay {
namespace {

class UdevQueueTest : public fake::DaemonTest {
 protected:
  void SetUp() override {
    if (const auto why = fake::ZramDevice::unavailable()) GTEST_SKIP() << *why;
    if (!std::filesystem::exists("/run/udev")) GTEST_SKIP() << "no directory to mount over here";
  }
  [[nodiscard]] bool lists_it(const fake::ZramDevice& device) {
    return kubelet_
        ->wait_for_list(fake::kZram,
                        [&](const Devices& devices) {
                          return std::ranges::any_of(devices, [&](const auto& d) {
                            return d.id == device.name() && d.healthy;
                          });
                        })
        .has_value();
  }
};

/// Starts a program with a /run/udev in which `control` and `queue` are stale, and without messages
/// of udevd.
const std::vector<std::string> kLeftBehind = {
    "unshare",
    "--mount",
    "--net",
    "sh",
    "-c",
    R"(mount -t tmpfs none "$0" && mkdir "$0/data" && : > "$0/control" && : > "$0/queue" &&
       exec "$@")",
    "/run/udev"};

constexpr const char* kConfig =
    R"(apiVersion: patchbay/v1
kind: Config
defaults: {linger: 1h}
resources:
  - name: example.com/zram
    match: {subsystem: block, name: "zram*"PROPERTY}
    id: $(name)
)";

/// A configuration whose rule uses data of udev if `awaits_udev`.
std::string config(bool awaits_udev) {
  std::string text = kConfig;
  const std::string mark = "PROPERTY";
  return text.replace(text.find(mark), mark.size(),
                      awaits_udev ? ", property: {DEVNAME: \"*\"}" : "");
}

TEST_F(UdevQueueTest, StaleQueueOfAKilledUdevdBlocksNoDevice) {
  start_kubelet();
  const fake::ZramDevice before;
  start_daemon_in(kLeftBehind, config(true));
  EXPECT_TRUE(lists_it(before));
  const fake::ZramDevice after;
  EXPECT_TRUE(lists_it(after));
  ASSERT_TRUE(daemon_->wait_for_line("udevd is not running but its queue file exists"));
  EXPECT_EQ(daemon_->count_lines("udevd is not running but its queue file exists"), 1U);
}

TEST_F(UdevQueueTest, StaleQueueIsIgnoredForDevicesThatNeedNoUdev) {
  start_kubelet();
  const fake::ZramDevice before;
  start_daemon_in(kLeftBehind, config(false));
  EXPECT_TRUE(lists_it(before));
  const fake::ZramDevice after;
  EXPECT_TRUE(lists_it(after));
  EXPECT_EQ(stop_daemon().err.find("queue file"), std::string::npos);
}

}  // namespace
}  // namespace patchbay
