#include "daemon/host_paths.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.h"

namespace patchbay::daemon {

bool path_exists(const std::string& root, const std::string& path) {
  return access((root + path).c_str(), F_OK) == 0;
}

Result<DeviceNumber> node_number(const std::string& root, const std::string& path) {
  struct stat status {};
  if (::stat((root + path).c_str(), &status) != 0) {
    if (errno == ENOENT) return fail(printable(path) + " does not exist");
    return fail_errno(printable(path), errno);
  }
  if (!S_ISCHR(status.st_mode) && !S_ISBLK(status.st_mode)) {
    return fail(printable(path) + " is no device node");
  }
  return DeviceNumber{.block = S_ISBLK(status.st_mode),
                      .major = ::gnu_dev_major(status.st_rdev),
                      .minor = ::gnu_dev_minor(status.st_rdev)};
}

}  // namespace patchbay::daemon
