#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace patchbay::bench {

using Nanoseconds = std::chrono::nanoseconds;

/// "what   n=500  p50 1.23 ms  p99 2.34 ms  max 3.45 ms"
void print_times(const std::string& what, std::vector<Nanoseconds> samples);
void print_figure(const std::string& what, const std::string& figure);

/// Resident memory of a process, and the anonymous part of it, in KiB (/proc/PID/smaps_rollup).
struct Memory {
  long resident_kib = 0;
  long anonymous_kib = 0;
};
Memory memory_of(int pid);

/// The most memory that was resident since the start, or since it was forgotten, in KiB.
long peak_of(int pid);
void forget_peak_of(int pid);

/// What a process holds.
struct Usage {
  Memory memory;
  size_t descriptors = 0;
  size_t threads = 0;
};
Usage usage_of(int pid);

/// How often a thread has slept so far, and so was woken or will be.
struct WakeUps {
  std::string name;  ///< The thread's.
  long count = 0;
};
/// Of each thread, by its number.
using ThreadWakeUps = std::map<int, WakeUps>;
ThreadWakeUps wake_ups_of(int pid);

/// "2.0/s: grpc_global_tim 1.0, patchbay 1.0": what came since `before`, the most frequent first;
/// threads of one name are one.
std::string wake_up_figure(const ThreadWakeUps& before, const ThreadWakeUps& after,
                           std::chrono::seconds between);

/// CPU time of a process so far (user and system).
std::chrono::milliseconds cpu_of(int pid);

}  // namespace patchbay::bench
