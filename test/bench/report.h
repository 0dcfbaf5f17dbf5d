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

/// The peak of resident memory since the start or the last reset, in KiB.
long peak_of(int pid);
void forget_peak_of(int pid);

/// Resources that a process uses.
struct Usage {
  Memory memory;
  size_t descriptors = 0;
  size_t threads = 0;
};
Usage usage_of(int pid);

/// How often a thread has slept so far, and so was or will be woken.
struct WakeUps {
  std::string name;  ///< Name of the thread.
  long count = 0;
};
/// By thread id.
using ThreadWakeUps = std::map<int, WakeUps>;
ThreadWakeUps wake_ups_of(int pid);

/// "2.0/s: grpc_global_tim 1.0, patchbay 1.0": the wake-ups since `before`, the most frequent
/// first. Threads of one name are added up.
std::string wake_up_figure(const ThreadWakeUps& before, const ThreadWakeUps& after,
                           std::chrono::seconds between);

/// CPU time of a process so far (user and system).
std::chrono::milliseconds cpu_of(int pid);

}  // namespace patchbay::bench
