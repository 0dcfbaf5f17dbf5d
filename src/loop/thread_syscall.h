#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace patchbay::loop {

/// The call of the kernel in which a thread of ours waits, with its path if it has one: "openat
/// /mnt/dead/x". Empty: it waits in none, or nobody tells. Any thread; waits for nothing itself.
[[nodiscard]] std::string syscall_of_thread(pid_t thread);

/// The same of what /proc/PID/task/TID/syscall says, for call_of_thread(). Of a thread of ours that
/// stays in that call: the path is read where it is in memory.
[[nodiscard]] std::string parse_syscall(std::string_view syscall_file);

}  // namespace patchbay::loop
