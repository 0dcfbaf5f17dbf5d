#include "loop/thread_call.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "base/unique_fd.h"

namespace patchbay::loop {
namespace {

constexpr size_t kNoPath = SIZE_MAX;

/// Calls that wait for others.
struct KernelCall {
  long number = 0;
  const char* name = nullptr;
  size_t path = kNoPath;  ///< Which argument is one.
};

constexpr std::array kKernelCalls = {
#ifdef SYS_open  // Not on machines younger than the calls with "at".
    KernelCall{SYS_open, "open", 0},
    KernelCall{SYS_stat, "stat", 0},
    KernelCall{SYS_lstat, "lstat", 0},
    KernelCall{SYS_access, "access", 0},
    KernelCall{SYS_readlink, "readlink", 0},
    KernelCall{SYS_unlink, "unlink", 0},
    KernelCall{SYS_rmdir, "rmdir", 0},
    KernelCall{SYS_mkdir, "mkdir", 0},
    KernelCall{SYS_rename, "rename", 0},
    KernelCall{SYS_chmod, "chmod", 0},
    KernelCall{SYS_poll, "poll"},
#endif
    KernelCall{SYS_openat, "openat", 1},
    KernelCall{SYS_newfstatat, "newfstatat", 1},
    KernelCall{SYS_statx, "statx", 1},
    KernelCall{SYS_faccessat, "faccessat", 1},
    KernelCall{SYS_readlinkat, "readlinkat", 1},
    KernelCall{SYS_unlinkat, "unlinkat", 1},
    KernelCall{SYS_mkdirat, "mkdirat", 1},
    KernelCall{SYS_fchmodat, "fchmodat", 1},
    KernelCall{SYS_statfs, "statfs", 0},
    KernelCall{SYS_inotify_add_watch, "inotify_add_watch", 1},
    KernelCall{SYS_getdents64, "getdents64"},
    KernelCall{SYS_read, "read"},
    KernelCall{SYS_pread64, "pread64"},
    KernelCall{SYS_write, "write"},
    KernelCall{SYS_fsync, "fsync"},
    KernelCall{SYS_close, "close"},
    KernelCall{SYS_bind, "bind"},
    KernelCall{SYS_connect, "connect"},
    KernelCall{SYS_sendmsg, "sendmsg"},
    KernelCall{SYS_recvmsg, "recvmsg"},
    KernelCall{SYS_futex, "futex"},
    KernelCall{SYS_ppoll, "ppoll"},
    KernelCall{SYS_wait4, "wait4"},
    KernelCall{SYS_waitid, "waitid"},
};

/// A number as the kernel writes it there: decimal, or hexadecimal after 0x.
std::optional<uint64_t> number_in(std::string_view word) {
  const bool hexadecimal = word.starts_with("0x");
  if (hexadecimal) word.remove_prefix(2);
  uint64_t number = 0;
  const int base = hexadecimal ? 16 : 10;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), number, base);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == word.data() + word.size();
  return whole ? std::optional(number) : std::nullopt;
}

/// The text that begins there in our memory, or a part of it. The kernel copies it, so that a
/// number that is no address does no harm.
std::string text_at(uint64_t address) {
  constexpr size_t kPart = 64;  // Never across the end of a page, as no part is.
  std::string text;
  while (text.size() < 1024) {
    std::array<char, kPart> part{};
    const uintptr_t from = address + text.size();
    const size_t size = kPart - from % kPart;
    const iovec to{.iov_base = part.data(), .iov_len = size};
    const iovec there{.iov_base = std::bit_cast<void*>(from), .iov_len = size};
    if (process_vm_readv(getpid(), &to, 1, &there, 1, 0) != static_cast<ssize_t>(size)) break;
    const auto end = std::find(part.begin(), part.begin() + size, '\0');
    text.append(part.begin(), end);
    if (end != part.begin() + size) break;
  }
  return text;
}

}  // namespace

std::string call_in(std::string_view syscall_file) {
  const std::vector<std::string_view> words = split(trim_end(syscall_file), ' ');
  const auto number = number_in(words[0]);  // Also "running" and -1, which are none.
  if (!number) return {};
  const auto known =
      std::ranges::find(kKernelCalls, static_cast<long>(*number), &KernelCall::number);
  if (known == kKernelCalls.end()) return fmt::format("system call {}", *number);
  std::string call = known->name;
  if (known->path == kNoPath || known->path + 1 >= words.size()) return call;
  const auto address = number_in(words[known->path + 1]);
  const std::string path = address ? text_at(*address) : std::string();
  if (!path.empty()) call += " " + printable(path, 500);
  return call;
}

std::string call_of_thread(pid_t thread) {
  const std::string path = fmt::format("/proc/self/task/{}/syscall", thread);
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 256> text{};
  const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : 0;
  return size > 0 ? call_in({text.data(), static_cast<size_t>(size)}) : std::string();
}

}  // namespace patchbay::loop
