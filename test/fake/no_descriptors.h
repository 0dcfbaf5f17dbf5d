#pragma once

#include <sys/resource.h>
#include <unistd.h>

namespace patchbay::fake {

/// For the lifetime of this object, the process cannot open further files.
class NoDescriptors {
 public:
  explicit NoDescriptors(pid_t process = ::getpid()) : process_(process) {
    ::prlimit(process_, RLIMIT_NOFILE, nullptr, &before_);
    const rlimit none{.rlim_cur = 0, .rlim_max = before_.rlim_max};
    ::prlimit(process_, RLIMIT_NOFILE, &none, nullptr);
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;
  ~NoDescriptors() { ::prlimit(process_, RLIMIT_NOFILE, &before_, nullptr); }

 private:
  pid_t process_;
  rlimit before_{};
};

}  // namespace patchbay::fake
