#include <linux/netlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/unique_fd.h"
#include "fake/kernel_devices.h"
#include "fake/run_until.h"
#include "host/kernel_fixture.h"
#include "host/udev/kernel_monitor.h"

namespace patchbay::host {
namespace {

using namespace std::string_literals;

const std::string kForged =
    "add@/devices/virtual/mem/forged\0ACTION=add\0DEVPATH=/devices/virtual/mem/forged\0"
    "SUBSYSTEM=mem\0SEQNUM=1\0"s;

/// Sends a forged message in the kernel's format to the group that receives uevents.
bool forge() {
  const UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT));
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket.get(), any, size) != 0 || ::getsockname(socket.get(), any, &size) != 0) {
    return false;
  }
  // The message also goes to the kernel, which forwards it.
  address.nl_groups = 1;
  return ::sendto(socket.get(), kForged.data(), kForged.size(), 0, any, size) ==
         static_cast<ssize_t>(kForged.size());
}

TEST(KernelMonitorTest, IgnoresMessagesOfProcesses) {
  SKIP_IF(fake::ZramDevice::unavailable());
  loop::UvLoop loop;
  std::vector<std::string> received;
  const auto monitor = KernelMonitor::open(
      loop, size_t{1} << 20U,
      {.on_event = [&](const UdevEvent& event) { received.push_back(event.syspath); },
       .on_overflow = [] { FAIL() << "nothing was lost"; }});
  ASSERT_TRUE(monitor);
  ASSERT_TRUE(forge());
  ASSERT_TRUE(fake::uevent_storm(fake::kNullDevice, 1));
  const auto has = [&](const std::string& path) { return std::ranges::count(received, path) > 0; };
  ASSERT_TRUE(fake::run_until(loop, [&] { return has(fake::kNullDevice); }));
  EXPECT_FALSE(has("/sys/devices/virtual/mem/forged"));
}

}  // namespace
}  // namespace patchbay::host
