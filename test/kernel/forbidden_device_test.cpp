// Tests the daemon with a device that the device cgroup forbids, as in every unprivileged
// container.
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "fake/daemon_fixture.h"
#include "fake/device_cgroup.h"
#include "fake/kernel_devices.h"

namespace patchbay {
namespace {

using Json = nlohmann::json;

class ForbiddenDeviceTest : public fake::DaemonTest {
 protected:
  /// Waits for the first log line with this text. Returns it without its time.
  [[nodiscard]] Json log_entry(const std::string& text) const {
    Json entry = Json::parse(daemon_->wait_for_line(text).value_or("{}"));
    entry.erase("time");
    return entry;
  }
  /// Ends the daemon before the destructor removes its control group.
  void TearDown() override { daemon_.reset(); }

  std::unique_ptr<fake::DeviceCgroup> group_;
};

TEST_F(ForbiddenDeviceTest, OpenProbeWithoutPermissionCannotRun) {
  const fake::ZramDevice device;
  group_ = std::make_unique<fake::DeviceCgroup>(device.devnode());
  if (group_->unavailable()) GTEST_SKIP() << *group_->unavailable();
  start_kubelet();
  start_daemon_in(group_->prefix(),
                  "apiVersion: patchbay/v1\nkind: Config\n"
                  "defaults: {linger: 1h}\nresources:\n"
                  "  - name: example.com/disk\n    id: disk\n"
                  "    match: {subsystem: block, name: " +
                      device.name() + "}\n    health: [{open: $(devnode), period: 100ms}]\n");

  ASSERT_TRUE(lists("example.com/disk", "disk=Unhealthy"));
  const std::string reason = "no permission to open " + device.devnode() +
                             " (the device cgroup, a nodev mount or the file's mode)";
  EXPECT_EQ(log_entry("\"unit is unhealthy\""), Json({{"level", "info"},
                                                      {"message", "unit is unhealthy"},
                                                      {"resource", "example.com/disk"},
                                                      {"unit", "disk"},
                                                      {"reason", "cannot be run: " + reason}}));
  EXPECT_EQ(log_entry("\"probe cannot run\""), Json({{"level", "warning"},
                                                     {"message", "probe cannot run"},
                                                     {"resource", "example.com/disk"},
                                                     {"unit", "disk"},
                                                     {"probe", "open: $(devnode)"},
                                                     {"reason", reason}}));
  const auto refused = kubelet_->allocate("example.com/disk", {"disk"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "FAILED_PRECONDITION: unit 'disk' is unhealthy: cannot be run: " + reason);

  const size_t from = kubelet_->log().size();
  ASSERT_TRUE(group_->allow());
  EXPECT_TRUE(lists("example.com/disk", "disk=Healthy", from));
  EXPECT_EQ(stop_daemon().exit_code, 0);
  EXPECT_EQ(daemon_->count_lines("probe cannot run"), 1U);
}

}  // namespace
}  // namespace patchbay
