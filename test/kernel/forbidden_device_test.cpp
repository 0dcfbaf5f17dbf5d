// The daemon with a device that the device cgroup forbids, as in every unprivileged container.
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
  /// The first log line with this text, without its time.
  [[nodiscard]] Json log_entry(const std::string& text) const {
    Json entry = Json::parse(daemon_->wait_for_line(text).value_or("{}"));
    entry.erase("time");
    return entry;
  }
  /// A group with processes cannot be removed.
  void TearDown() override { daemon_.reset(); }

  std::unique_ptr<fake::DeviceCgroup> group_;
};

TEST_F(ForbiddenDeviceTest, OpenProbeWithoutPermissionCannotRun) {
  const fake::ZramDevice device;
  group_ = std::make_unique<fake::DeviceCgroup>(device.devnode());
  if (group_->unavailable()) GTEST_SKIP() << *group_->unavailable();
  start_kubelet();
  const std::string match = "    match: {subsystem: block, name: " + device.name() + "}\n";
  start_daemon_in(group_->prefix(),
                  "apiVersion: patchbay/v1\nkind: Config\n"
                  "defaults: {settle: 0ms, linger: 1h, probe: {period: 100ms}}\nresources:\n"
                  "  - name: example.com/strict\n    id: strict\n" +
                      match +
                      "    health: [{open: $(devnode)}]\n"
                      "  - name: example.com/lenient\n    id: lenient\n    claim: shared\n" +
                      match + "    health: [{open: $(devnode), onError: ignore}]\n");

  ASSERT_TRUE(lists("example.com/strict", "strict=Unhealthy"));
  const std::string reason = "no permission to open " + device.devnode() +
                             " (the device cgroup, a nodev mount or the file's mode)";
  EXPECT_EQ(log_entry("\"unit is unhealthy\""), Json({{"level", "info"},
                                                      {"message", "unit is unhealthy"},
                                                      {"resource", "example.com/strict"},
                                                      {"unit", "strict"},
                                                      {"reason", "cannot be run: " + reason}}));
  for (const std::string unit : {"strict", "lenient"}) {
    EXPECT_EQ(log_entry("\"probe cannot run\",\"resource\":\"example.com/" + unit),
              Json({{"level", "warning"},
                    {"message", "probe cannot run"},
                    {"resource", "example.com/" + unit},
                    {"unit", unit},
                    {"probe", "open: $(devnode)"},
                    {"reason", reason}}));
  }
  const auto refused = kubelet_->allocate("example.com/strict", {"strict"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "FAILED_PRECONDITION: unit 'strict' is unhealthy: cannot be run: " + reason);
  EXPECT_TRUE(kubelet_->allocate("example.com/lenient", {"lenient"}));

  const size_t from = kubelet_->log().size();
  ASSERT_TRUE(group_->allow());
  EXPECT_TRUE(lists("example.com/strict", "strict=Healthy", from));
  EXPECT_TRUE(lists("example.com/lenient", "lenient=Healthy"));
  EXPECT_EQ(kubelet_->history("example.com/lenient").size(), 1U) << kubelet_->story();
  EXPECT_EQ(stop_daemon().exit_code, 0);
  EXPECT_EQ(daemon_->count_lines("probe cannot run"), 2U);
}

}  // namespace
}  // namespace patchbay
