#include "loop/thread_syscall.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fake/patience.h"

namespace patchbay::loop {
namespace {

/// As the kernel writes it: number, six arguments, stack, instruction.
std::string syscall_file(long number, uint64_t first, uint64_t second) {
  return fmt::format("{} {:#x} {:#x} 0x0 0x0 0x0 0x0 0x7ffc0 0x7f0c1\n", number, first, second);
}
uint64_t address_of(const std::string& text) { return reinterpret_cast<uintptr_t>(text.c_str()); }

TEST(ThreadSyscall, IncludesThePath) {
  const std::string path = "/mnt/dead/device-plugins/kubelet.sock";
  EXPECT_EQ(parse_syscall(syscall_file(SYS_openat, 0xffffff9c, address_of(path))),
            "openat " + path);
  EXPECT_EQ(parse_syscall(syscall_file(SYS_statfs, address_of(path), 0)), "statfs " + path);
}

TEST(ThreadSyscall, EscapesLongAndHostilePaths) {
  const std::string path = "/mnt/\x1b[31m" + std::string(300, 'x');
  EXPECT_EQ(parse_syscall(syscall_file(SYS_openat, 0, address_of(path))),
            "openat /mnt/\\x1b[31m" + std::string(300, 'x'));
}

TEST(ThreadSyscall, IgnoresAnInvalidAddress) {
  EXPECT_EQ(parse_syscall(syscall_file(SYS_openat, 0, 16)), "openat");
  EXPECT_EQ(parse_syscall(fmt::format("{}\n", SYS_openat)), "openat");
}

TEST(ThreadSyscall, NamesCallsWithoutPath) {
  EXPECT_EQ(parse_syscall(syscall_file(SYS_futex, 1, 2)), "futex");
  EXPECT_EQ(parse_syscall(syscall_file(99999, 1, 2)), "system call 99999");
}

TEST(ThreadSyscall, RunningThreadHasNoCall) {
  EXPECT_EQ(parse_syscall("running\n"), "");
  EXPECT_EQ(parse_syscall("-1 0x7ffc0 0x7f0c1\n"), "");
  EXPECT_EQ(parse_syscall(""), "");
  EXPECT_EQ(syscall_of_thread(-1), "");
}

TEST(ThreadSyscall, ReadsTheCallOfAWaitingThread) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  std::atomic<pid_t> id = 0;
  std::thread reader([&] {
    id = gettid();
    char byte = 0;
    static_cast<void>(::read(ends[0], &byte, 1));
  });
  EXPECT_TRUE(fake::wait_until([&] { return id != 0 && syscall_of_thread(id) == "read"; }))
      << syscall_of_thread(id);
  ::close(ends[1]);
  reader.join();
  ::close(ends[0]);
}

}  // namespace
}  // namespace patchbay::loop
