#include "loop/thread_syscall.h"

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

/// System calls that may block.
struct Syscall {
  long number = 0;
  const char* name = nullptr;
  size_t path = kNoPath;  ///< Index of the path argument.
};

constexpr std::array kSyscalls = {
#ifdef SYS_open  // Missing on architectures newer than the "at" calls.
    Syscall{SYS_open, "open", 0},
    Syscall{SYS_stat, "stat", 0},
    Syscall{SYS_lstat, "lstat", 0},
    Syscall{SYS_access, "access", 0},
    Syscall{SYS_readlink, "readlink", 0},
    Syscall{SYS_unlink, "unlink", 0},
    Syscall{SYS_rmdir, "rmdir", 0},
    Syscall{SYS_mkdir, "mkdir", 0},
    Syscall{SYS_rename, "rename", 0},
    Syscall{SYS_chmod, "chmod", 0},
    Syscall{SYS_poll, "poll"},
#endif
    Syscall{SYS_openat, "openat", 1},
    Syscall{SYS_newfstatat, "newfstatat", 1},
    Syscall{SYS_statx, "statx", 1},
    Syscall{SYS_faccessat, "faccessat", 1},
    Syscall{SYS_readlinkat, "readlinkat", 1},
    Syscall{SYS_unlinkat, "unlinkat", 1},
    Syscall{SYS_mkdirat, "mkdirat", 1},
    Syscall{SYS_fchmodat, "fchmodat", 1},
    Syscall{SYS_statfs, "statfs", 0},
    Syscall{SYS_inotify_add_watch, "inotify_add_watch", 1},
    Syscall{SYS_getdents64, "getdents64"},
    Syscall{SYS_read, "read"},
    Syscall{SYS_pread64, "pread64"},
    Syscall{SYS_write, "write"},
    Syscall{SYS_fsync, "fsync"},
    Syscall{SYS_close, "close"},
    Syscall{SYS_bind, "bind"},
    Syscall{SYS_connect, "connect"},
    Syscall{SYS_sendmsg, "sendmsg"},
    Syscall{SYS_recvmsg, "recvmsg"},
    Syscall{SYS_futex, "futex"},
    Syscall{SYS_ppoll, "ppoll"},
    Syscall{SYS_wait4, "wait4"},
    Syscall{SYS_waitid, "waitid"},
};

/// A number in the kernel's format: decimal, or hexadecimal after 0x.
std::optional<uint64_t> parse_number(std::string_view word) {
  const bool hexadecimal = word.starts_with("0x");
  if (hexadecimal) word.remove_prefix(2);
  uint64_t number = 0;
  const int base = hexadecimal ? 16 : 10;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), number, base);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == word.data() + word.size();
  return whole ? std::optional(number) : std::nullopt;
}

/// The text at this address of our memory, possibly truncated. The kernel copies it, so an invalid
/// address is harmless.
std::string text_at(uint64_t address) {
  constexpr size_t kChunk = 64;  // Chunks do not cross a page boundary.
  std::string text;
  while (text.size() < 1024) {
    std::array<char, kChunk> chunk{};
    const uintptr_t from = address + text.size();
    const size_t size = kChunk - from % kChunk;
    const iovec to{.iov_base = chunk.data(), .iov_len = size};
    const iovec there{.iov_base = std::bit_cast<void*>(from), .iov_len = size};
    if (process_vm_readv(getpid(), &to, 1, &there, 1, 0) != static_cast<ssize_t>(size)) break;
    const auto end = std::find(chunk.begin(), chunk.begin() + size, '\0');
    text.append(chunk.begin(), end);
    if (end != chunk.begin() + size) break;
  }
  return text;
}

}  // namespace

std::string parse_syscall(std::string_view syscall_file) {
  const std::vector<std::string_view> words = split(trim_end(syscall_file), ' ');
  const auto number = parse_number(words[0]);  // "running" and -1 are not system calls.
  if (!number) return {};
  const auto known = std::ranges::find(kSyscalls, static_cast<long>(*number), &Syscall::number);
  if (known == kSyscalls.end()) return fmt::format("system call {}", *number);
  std::string call = known->name;
  if (known->path == kNoPath || known->path + 1 >= words.size()) return call;
  const auto address = parse_number(words[known->path + 1]);
  const std::string path = address ? text_at(*address) : std::string();
  if (!path.empty()) call += " " + printable(path, 500);
  return call;
}

std::string syscall_of_thread(pid_t thread) {
  const std::string path = fmt::format("/proc/self/task/{}/syscall", thread);
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 256> text{};
  const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : 0;
  return size > 0 ? parse_syscall({text.data(), static_cast<size_t>(size)}) : std::string();
}

}  // namespace patchbay::loop
