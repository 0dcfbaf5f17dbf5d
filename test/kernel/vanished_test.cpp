// Tests devices that disappeared or were replaced without an event for the daemon before Allocate.
// The daemon runs in a user namespace without kernel events and watches of directories, and udevd
// is paused.
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <gmock/gmock.h>

#include "fake/daemon_fixture.h"
#include "fake/kernel_devices.h"
#include "fake/udev_daemon.h"

namespace patchbay {
namespace {

using testing::HasSubstr;
constexpr const char* kUnit = "example.com/unit";

/// The number of the node, such as "char 238:1"; empty if there is no node.
std::string number_of(const std::string& node) {
  struct stat status {};
  if (::stat(node.c_str(), &status) != 0) return {};
  return std::string(S_ISBLK(status.st_mode) ? "block " : "char ") +
         std::to_string(::gnu_dev_major(status.st_rdev)) + ":" +
         std::to_string(::gnu_dev_minor(status.st_rdev));
}

class VanishedTest : public fake::DaemonTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(udevd_.runs());
    start_kubelet();
  }
  void TearDown() override { EXPECT_TRUE(!rests_ || fake::UdevDaemon::resume()); }

  /// Starts the daemon, which lists the device and receives no events.
  void start_blind(const std::string& subsystem, const std::string& name) {
    ASSERT_TRUE(fake::UdevDaemon::settle());
    rests_ = fake::UdevDaemon::pause();
    ASSERT_TRUE(rests_);
    start_daemon_in({"unshare", "--user", "--map-root-user", "--net", "sh", "-c",
                     R"(echo 0 > /proc/sys/user/max_inotify_watches && exec "$0" "$@")"},
                    "apiVersion: patchbay/v1\nkind: Config\n"
                    "defaults: {linger: 1h}\nresources:\n"
                    "  - name: example.com/unit\n    match: {subsystem: " +
                        subsystem + ", name: " + name + "}\n    id: $(name)\n");
    ASSERT_TRUE(lists(kUnit, name + "=Healthy"));
    ASSERT_TRUE(kubelet_->allocate(kUnit, {name}));
  }
  [[nodiscard]] std::string refusal(const std::string& name) const {
    const auto answer = kubelet_->allocate(kUnit, {name});
    return answer ? "given" : answer.error().message;
  }

  fake::UdevDaemon udevd_;
  bool rests_ = false;
};

TEST_F(VanishedTest, DeviceRemovedWithoutEventFailsAllocateAndIsLost) {
  fake::ZramDevice device;
  const std::string name = device.name();
  const std::string node = device.devnode();
  ASSERT_NO_FATAL_FAILURE(start_blind("block", name));
  ASSERT_TRUE(device.unplug());

  EXPECT_EQ(refusal(name), "FAILED_PRECONDITION: unit '" + name + "': " + node + " does not exist");
  EXPECT_THAT(
      daemon_->wait_for_line("allocation refused").value_or(""),
      HasSubstr(R"("level":"warning","message":"allocation refused",)"
                R"("resource":"example.com/unit","unit":")" +
                name + R"(","reason":"unit ')" + name + "': " + node + R"( does not exist"})"));
  // The refused call has caused a read of the device.
  ASSERT_TRUE(lists(kUnit, name + "=Unhealthy"));
  EXPECT_EQ(refusal(name),
            "FAILED_PRECONDITION: unit '" + name + "' is unhealthy: the device is gone");
}

/// A new tap gets the lowest free minor number, so another tap can get the number of a removed one.
/// The test sets the name of the device node by the interface's index.
TEST_F(VanishedTest, ReplacedDeviceNodeFailsAllocateOnce) {
  constexpr unsigned kIndex = 870'123;
  const fake::VethPair cable("pbveth0", "pbveth1");
  ASSERT_TRUE(cable.made());
  auto device = std::make_unique<fake::MacvtapDevice>("pbveth0", "pbvtap0", kIndex);
  ASSERT_TRUE(device->made());
  const std::string name = device->tap_name();
  const std::string node = "/dev/" + name;
  const std::string before = number_of(node);
  ASSERT_NE(before, "");
  ASSERT_NO_FATAL_FAILURE(start_blind("macvtap", name));
  ASSERT_TRUE(device->unplug());
  const fake::MacvtapDevice other("pbveth0", "pbvtap1");
  ASSERT_TRUE(other.made());
  device = std::make_unique<fake::MacvtapDevice>("pbveth0", "pbvtap0", kIndex);
  ASSERT_TRUE(device->made());
  const std::string now = number_of(node);
  ASSERT_NE(now, "");
  ASSERT_NE(now, before);

  EXPECT_EQ(refusal(name), "FAILED_PRECONDITION: unit '" + name + "': " + node +
                               " is another device now: " + now + ", not " + before);
  // The refused call has caused a read, so the daemon knows the present device.
  std::string last;
  EXPECT_TRUE(fake::wait_until([&] { return (last = refusal(name)) == "given"; })) << last;
}

}  // namespace
}  // namespace patchbay
