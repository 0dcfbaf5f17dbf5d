#include "steps/blocking_step.h"

#include <fcntl.h>
#include <linux/usbdevice_fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/unique_fd.h"

namespace patchbay::steps {
namespace {

/// The kernel's major number of nodes under /dev/bus/usb.
constexpr unsigned kUsbDeviceMajor = 189;

std::string error_text(int error_number) { return std::generic_category().message(error_number); }

std::string open_fault(int error_number) {
  if (error_number == ENOENT) return "it does not exist";
  return "cannot open it: " + error_text(error_number);
}

std::string write_value(const Step& step, const paths::HostRoot& root) {
  // Nonblocking: a pipe without a reader and a serial line without a carrier would block for ever.
  const UniqueFd fd = root.open(step.path, O_WRONLY | O_TRUNC | O_NONBLOCK);
  if (!fd) return open_fault(errno);
  ssize_t written = -1;
  do {
    written = ::write(fd.get(), step.value.data(), step.value.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) return "the value was refused: " + error_text(errno);
  if (static_cast<size_t>(written) < step.value.size())
    return "only a part of the value was written";
  return {};
}

std::string reset_usb(const Step& step, const paths::HostRoot& root) {
  const UniqueFd fd = root.open(step.path, O_WRONLY | O_NONBLOCK);
  if (!fd) return open_fault(errno);
  // Other drivers may give this ioctl another meaning.
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0 || !S_ISCHR(status.st_mode) ||
      ::gnu_dev_major(status.st_rdev) != kUsbDeviceMajor) {
    return "it is not the node of a USB device";
  }
  if (::ioctl(fd.get(), USBDEVFS_RESET, 0) != 0) return "cannot reset it: " + error_text(errno);
  return {};
}

}  // namespace

std::string run_blocking_step(const Step& step, const paths::HostRoot& root) {
  return step.kind == Step::Kind::usb_reset ? reset_usb(step, root) : write_value(step, root);
}

}  // namespace patchbay::steps
