#include "bench/bare/chooser.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>

#include "base/unique_fd.h"

namespace patchbay::bench {
namespace {

UniqueFd open_if(const std::string& path, uint64_t resolve) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = resolve;
  return UniqueFd(
      static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
}

/// Stats a path and its mount, from the kernel's memory.
void stat_path(const std::string& path) {
  const UniqueFd fd = open_if(path, RESOLVE_CACHED);
  file_handle handle{};
  int mount = -1;
  struct statx status {};
  if (::name_to_handle_at(fd.get(), "", &handle, &mount, AT_EMPTY_PATH) == 0 ||
      errno != EOVERFLOW ||
      ::statx(fd.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_MODE, &status) !=
          0) {
    std::fprintf(stderr, "%s does not exist\n", path.c_str());
  }
}

/// Reads a device's subsystem, and checks its NUMA node and udev's record of it.
void stat_device(const std::string& device) {
  std::array<char, 4096> text;
  const UniqueFd directory = open_if(device, RESOLVE_NO_SYMLINKS);
  (void)!::readlinkat(directory.get(), "subsystem", text.data(), text.size());
  (void)!::faccessat(directory.get(), "numa_node", F_OK, 0);
  (void)!::access(("/run/udev/data/" + device.substr(device.rfind('/') + 1)).c_str(), F_OK);
}

}  // namespace

void StatChooser::added(const Entity& entity) {
  entity.path.starts_with("/sys/") ? stat_device(entity.path) : stat_path(entity.path);
}

void StatChooser::give(const std::vector<std::string>& ids, v1beta1::AllocateResponse& /*answer*/) {
  for (const std::string& id : ids) stat_path(directory_ + '/' + id);
}

}  // namespace patchbay::bench
