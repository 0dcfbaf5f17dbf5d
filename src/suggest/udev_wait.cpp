#include "suggest/udev_wait.h"

#include <sys/stat.h>

#include <string>
#include <thread>

#include "suggest/device_values.h"

namespace patchbay::suggest {
namespace {

/// An older device is not new.
constexpr std::chrono::seconds kNewFor{10};
constexpr std::chrono::milliseconds kPause{50};

/// The times of directories in /sys are those of the kernel's cache, so only nodes can be new.
bool is_new(const std::string& node, const paths::HostRoot& root) {
  const auto status = root.status(node);
  return status && std::chrono::system_clock::now() -
                           std::chrono::system_clock::from_time_t(status->st_ctime) <=
                       kNewFor;
}

}  // namespace

bool wait_for_udev(const Wanted& wanted, const paths::HostRoot& root,
                   std::chrono::steady_clock::time_point deadline) {
  const bool has_udev = !root.is_recorded() && root.exists("/run/udev/control");
  if (!has_udev || wanted.key.empty() || wanted.path.empty() || !is_new(wanted.path, root)) {
    return true;
  }
  while (true) {
    const auto device = DeviceReader(root).read(wanted.key);
    if (device == nullptr || value_of(*device, "property.USEC_INITIALIZED")) return true;
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace patchbay::suggest
