// A udevd that was killed, and what it left in /run/udev.
#include <string>

#include "fake/daemon_fixture.h"
#include "fake/kernel_devices.h"

namespace patchbay {
namespace {

using UdevQueueTest = fake::DaemonTest;

/// In a /run/udev of its own, and where no udevd is heard: `control` and `queue` of nobody.
const std::vector<std::string> kLeftBehind = {
    "unshare",
    "--mount",
    "--net",
    "sh",
    "-c",
    R"(mount -t tmpfs none "$0" && mkdir "$0/data" && : > "$0/control" && : > "$0/queue" &&
       exec "$@")",
    "/run/udev"};

TEST_F(UdevQueueTest, AQueueThatAKilledUdevdLeftHoldsNoDevice) {
  if (const auto why = fake::ZramDevice::unavailable()) GTEST_SKIP() << *why;
  if (!std::filesystem::exists("/run/udev")) GTEST_SKIP() << "no directory to mount over here";
  const fake::ZramDevice before;
  start_kubelet();
  start_daemon_in(kLeftBehind,
                  "apiVersion: patchbay/v1\nkind: Config\n"
                  "defaults: {settle: 0ms, linger: 1h}\nresources:\n"
                  "  - name: example.com/zram\n"
                  "    match: {subsystem: block, name: \"zram*\"}\n"
                  "    id: $(name)\n");
  const auto lists_it = [&](const fake::ZramDevice& device) {
    return kubelet_
        ->wait_for_list(fake::kZram,
                        [&](const Devices& devices) {
                          return std::ranges::any_of(devices, [&](const auto& d) {
                            return d.id == device.name() && d.healthy;
                          });
                        })
        .has_value();
  };
  EXPECT_TRUE(lists_it(before));
  const fake::ZramDevice after;
  EXPECT_TRUE(lists_it(after));
  const auto warning = daemon_->wait_for_line("udev's queue is not waited for");
  ASSERT_TRUE(warning);
  EXPECT_NE(warning->find("udevd has ended without removing it"), std::string::npos) << *warning;
  EXPECT_EQ(daemon_->count_lines("udev's queue is not waited for"), 1U);
}

}  // namespace
}  // namespace patchbay
