#include "health/blocking_check.h"

#include <fcntl.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "host/facts/device_tree.h"
#include "host/facts/sysfs_files.h"
#include "host/facts/udev_record.h"

namespace patchbay::health {
namespace {

CheckResult open_fault(const std::string& path, int error_number) {
  const std::string shown = printable(path);
  switch (error_number) {
    case EACCES:
    case EPERM:
      return {.kind = CheckResult::Kind::cannot_run,
              .reason = "no permission to open " + shown +
                        " (the device cgroup, a nodev mount or the file's mode)"};
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return {.kind = CheckResult::Kind::cannot_run,
              .reason = fail_errno("cannot open " + shown, error_number).error().message};
    case ENOENT:
    case ENOTDIR:
      return {.kind = CheckResult::Kind::failed, .reason = shown + " does not exist"};
    case ENXIO:
    case ENODEV:
      return {.kind = CheckResult::Kind::failed, .reason = "no device behind " + shown};
    case EBUSY:
      return {.kind = CheckResult::Kind::failed, .reason = shown + " is busy"};
    default:
      return {.kind = CheckResult::Kind::failed,
              .reason = fail_errno("cannot open " + shown, error_number).error().message};
  }
}

CheckResult check_open(const Check& check, const paths::HostRoot& root) {
  const int mode = check.read && check.write ? O_RDWR : check.write ? O_WRONLY : O_RDONLY;
  const UniqueFd fd = root.open(check.path, mode | O_NONBLOCK);
  if (!fd) return open_fault(check.path, errno);
  return {};
}

/// `read` returns all values for one name.
template <typename Read>
CheckResult read_all(const std::vector<std::string>& names, const Read& read) {
  CheckResult result;
  for (const std::string& name : names) {
    if (auto values = read(name); !values.empty()) result.values.emplace(name, std::move(values));
  }
  return result;
}

CheckResult read_properties(const Check& check, const paths::HostRoot& root) {
  CheckResult result;
  for (auto& [name, value] :
       host::read_properties(host::DeviceTree(root), check.syspath, check.names)) {
    result.values[name].push_back(std::move(value));
  }
  return result;
}

std::vector<std::string> read_file(const paths::HostRoot& root, const std::string& path) {
  std::vector<std::string> values;
  if (auto content = root.read_file(path)) values.push_back(*std::move(content));
  return values;
}

}  // namespace

CheckResult run_blocking_check(const Check& check, const paths::HostRoot& root) {
  switch (check.kind) {
    case Check::Kind::open:
      return check_open(check, root);
    case Check::Kind::attributes:
      return read_all(check.names, [&](const std::string& name) {
        return host::read_attributes(root.kernel_files(), check.syspath, name);
      });
    case Check::Kind::properties:
      return read_properties(check, root);
    case Check::Kind::files:
      return read_all(check.names, [&](const std::string& path) { return read_file(root, path); });
    case Check::Kind::exec:
    case Check::Kind::tcp:
      break;  // These run on the loop.
  }
  return {.kind = CheckResult::Kind::cannot_run, .reason = "this check reads no file"};
}

}  // namespace patchbay::health
