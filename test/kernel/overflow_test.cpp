// Tests a real loss of events: the daemon does not read while the kernel's buffer overflows.
#include <nlohmann/json.hpp>

#include "fake/daemon_fixture.h"
#include "fake/kernel_devices.h"
#include "fake/udev_daemon.h"

namespace patchbay {
namespace {

using fake::kZram;

class OverflowTest : public fake::DaemonTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(udevd_.runs());
    start_kubelet();
  }

  /// A counter in the last log line.
  static int counter(const fake::Finished& end, const std::string& name) {
    const std::string last = end.err.substr(end.err.rfind('\n', end.err.size() - 2) + 1);
    return std::stoi(nlohmann::json::parse(last).at(name).get<std::string>());
  }

  fake::UdevDaemon udevd_;
};

TEST_F(OverflowTest, RecoversFromLostEvents) {
  std::vector<fake::ZramDevice> devices(4);
  std::vector<std::string> names;
  for (const auto& device : devices) names.push_back(device.name());
  start_daemon(
      "apiVersion: patchbay/v1\nkind: Config\ndefaults: {linger: 1h}\nresources:\n"
      "  - name: example.com/zram\n    match: {subsystem: block, name: [" +
          names[0] + ", " + names[1] + ", " + names[2] + ", " + names[3] +
          "]}\n    id: $(name)\n"
          "  - name: example.com/null\n    match: {subsystem: mem, name: \"null\"}\n"
          "    id: $(name)\n",
      {"--udev-buffer", "64KiB"});
  ASSERT_TRUE(lists(kZram, names[0] + "=Healthy " + names[1] + "=Healthy " + names[2] +
                               "=Healthy " + names[3] + "=Healthy"));

  daemon_->send_signal(SIGSTOP);
  ASSERT_TRUE(fake::uevent_storm(fake::kNullDevice, 1'000));
  ASSERT_TRUE(devices[1].unplug());
  ASSERT_TRUE(devices[2].unplug());
  ASSERT_TRUE(fake::uevent_storm(fake::kNullDevice, 1'000));
  ASSERT_TRUE(fake::UdevDaemon::settle());
  daemon_->send_signal(SIGCONT);
  EXPECT_TRUE(lists(kZram, names[0] + "=Healthy " + names[1] + "=Unhealthy " + names[2] +
                               "=Unhealthy " + names[3] + "=Healthy"));

  ASSERT_TRUE(devices[3].unplug());
  EXPECT_TRUE(lists(kZram, names[0] + "=Healthy " + names[1] + "=Unhealthy " + names[2] +
                               "=Unhealthy " + names[3] + "=Unhealthy"));
  const auto end = stop_daemon();
  EXPECT_GT(counter(end, "overflows"), 0) << end.err;
}

}  // namespace
}  // namespace patchbay
