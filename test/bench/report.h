#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace patchbay::bench {

using Nanoseconds = std::chrono::nanoseconds;

/// Prints "what   n=500  p50 1.23 ms  p99 2.34 ms  max 3.45 ms".
void print_times(const std::string& what, std::vector<Nanoseconds> samples);
void print_figure(const std::string& what, const std::string& figure);

/// Resident memory of a process, and the anonymous part of it, in KiB (/proc/PID/smaps_rollup).
struct Memory {
  long resident_kib = 0;
  long anonymous_kib = 0;
};
Memory memory_of(int pid);

/// The peak of a process's resident memory since its start or forget_peak_of(), in KiB.
long peak_of(int pid);
void forget_peak_of(int pid);

/// Resources that a process uses.
struct Usage {
  Memory memory;
  size_t descriptors = 0;
  size_t threads = 0;
};
Usage usage_of(int pid);

/// How often a thread has slept since its start. Each sleep ends with a wake-up.
struct WakeUps {
  std::string name;  ///< Name of the thread.
  long count = 0;
};
/// The wake-ups of a process's threads, by thread id.
using ThreadWakeUps = std::map<int, WakeUps>;
ThreadWakeUps wake_ups_of(int pid);

/// The wake-ups from `before` to `after`, such as "2.0/s: grpc_global_tim 1.0, patchbay 1.0". Adds
/// up threads of one name. The most frequent ones are first.
std::string wake_up_figure(const ThreadWakeUps& before, const ThreadWakeUps& after,
                           std::chrono::seconds between);

/// CPU time of a process since its start, user and system.
std::chrono::milliseconds cpu_of(int pid);

}  // namespace patchbay::bench
