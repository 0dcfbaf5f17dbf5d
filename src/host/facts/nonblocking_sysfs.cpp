#include "host/facts/nonblocking_sysfs.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "loop/may_block.h"

namespace patchbay::host {
namespace {

const std::string kTop = "/sys/";

}  // namespace

void NonblockingSysfs::learn() {
  loop::MayBlock::check();
  UniqueFd top(::open(kTop.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct statfs status {};
  const bool is_sysfs = top && ::fstatfs(top.get(), &status) == 0 && status.f_type == SYSFS_MAGIC;
  auto known = is_sysfs ? std::make_shared<const UniqueFd>(std::move(top)) : nullptr;
  const std::lock_guard lock(mutex_);
  top_ = std::move(known);
}

std::optional<bool> NonblockingSysfs::has(const std::string& syspath) const {
  std::shared_ptr<const UniqueFd> top;
  {
    const std::lock_guard lock(mutex_);
    top = top_;
  }
  if (!top || !syspath.starts_with(kTop)) return std::nullopt;
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS;
  const UniqueFd directory(static_cast<int>(
      ::syscall(SYS_openat2, top->get(), syspath.c_str() + kTop.size(), &how, sizeof how)));
  if (directory) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return std::nullopt;
}

}  // namespace patchbay::host
