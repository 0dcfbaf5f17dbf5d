#include "bench/report.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <utility>

#include <fmt/core.h>

namespace patchbay::bench {
namespace {

double ms(Nanoseconds time) { return static_cast<double>(time.count()) / 1e6; }

/// The number after "name:" in a /proc file.
long number_in(const std::filesystem::path& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name + ":")) return std::stol(line.substr(name.size() + 1));
  }
  return 0;
}

}  // namespace

void print_times(const std::string& what, std::vector<Nanoseconds> samples) {
  std::ranges::sort(samples);
  const auto at = [&](size_t percent) {
    return ms(samples[std::min(samples.size() - 1, samples.size() * percent / 100)]);
  };
  fmt::print("{:<58} n={:<5} p50 {:.3f} ms  p99 {:.3f} ms  max {:.3f} ms\n", what, samples.size(),
             at(50), at(99), ms(samples.back()));
  std::fflush(stdout);
}

void print_figure(const std::string& what, const std::string& figure) {
  fmt::print("{:<58} {}\n", what, figure);
  std::fflush(stdout);
}

Memory memory_of(int pid) {
  const std::string path = fmt::format("/proc/{}/smaps_rollup", pid);
  return {.resident_kib = number_in(path, "Rss"), .anonymous_kib = number_in(path, "Anonymous")};
}

long peak_of(int pid) { return number_in(fmt::format("/proc/{}/status", pid), "VmHWM"); }

void forget_peak_of(int pid) { std::ofstream(fmt::format("/proc/{}/clear_refs", pid)) << 5; }

Usage usage_of(int pid) {
  const auto entries = [pid](const char* directory) {
    const std::filesystem::directory_iterator all(fmt::format("/proc/{}/{}", pid, directory));
    return static_cast<size_t>(std::distance(all, {}));
  };
  return {.memory = memory_of(pid), .descriptors = entries("fd"), .threads = entries("task")};
}

ThreadWakeUps wake_ups_of(int pid) {
  ThreadWakeUps all;
  for (const auto& thread :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid))) {
    WakeUps& of = all[std::stoi(thread.path().filename())];
    std::ifstream file(thread.path() / "comm");
    std::getline(file, of.name);
    of.count = number_in(thread.path() / "status", "voluntary_ctxt_switches");
  }
  return all;
}

std::string wake_up_figure(const ThreadWakeUps& before, const ThreadWakeUps& after,
                           std::chrono::seconds between) {
  const auto rate = [between](long count) {
    return static_cast<double>(count) / static_cast<double>(between.count());
  };
  long sum = 0;
  std::map<std::string, long> by_name;
  for (const auto& [thread, now] : after) {
    const auto then = before.find(thread);
    const long count = now.count - (then == before.end() ? 0 : then->second.count);
    sum += count;
    if (count > 0) by_name[now.name] += count;
  }
  std::vector<std::pair<std::string, long>> sorted(by_name.begin(), by_name.end());
  std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, long>::second);
  std::string figure = fmt::format("{:.1f}/s", rate(sum));
  const char* separator = ": ";
  for (const auto& [name, count] : sorted) {
    figure += fmt::format("{}{} {:.2f}", std::exchange(separator, ", "), name, rate(count));
  }
  return figure;
}

std::chrono::milliseconds cpu_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(file, line);
  // Reads the fields after the command's name, which may contain spaces. Fields 14 and 15 are utime
  // and stime.
  std::istringstream fields(line.substr(line.rfind(')') + 2));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  long user = 0;
  long system = 0;
  fields >> user >> system;
  return std::chrono::milliseconds((user + system) * 1000 / sysconf(_SC_CLK_TCK));
}

}  // namespace patchbay::bench
