#pragma once

#include <chrono>
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

/// Voluntary context switches of all threads so far: each is a wake-up.
long wake_ups_of(int pid);

/// CPU time of a process so far (user and system).
std::chrono::milliseconds cpu_of(int pid);

}  // namespace patchbay::bench
