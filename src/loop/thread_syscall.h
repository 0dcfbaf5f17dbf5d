#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace patchbay::loop {

/// The system call in which a thread of ours blocks, with its path argument: "openat /mnt/dead/x".
/// Empty: none, or unknown. Any thread; never blocks.
[[nodiscard]] std::string syscall_of_thread(pid_t thread);

/// Parses /proc/PID/task/TID/syscall for syscall_of_thread(). The thread must stay in the call,
/// because the path is read from memory.
[[nodiscard]] std::string parse_syscall(std::string_view syscall_file);

}  // namespace patchbay::loop
