#include "bench/reload_bench.h"

#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include "bench/bench_daemon.h"
#include "bench/report.h"

namespace patchbay::bench {
namespace {

using std::chrono_literals::operator""s;

constexpr int kManyResources = 200;

std::string name_of(int resource) { return fmt::format("example.com/r{}", resource); }

/// A configuration of 200 resources with one unit each. The first unit is named `unit`.
std::string static_config(const std::string& unit) {
  std::string config = header();
  for (int i = 0; i < kManyResources; ++i) {
    config += fmt::format("  - {{name: r{}, match: {{static: [{}]}}, id: $(name)}}\n", i,
                          i == 0 ? unit : fmt::format("s{}", i));
  }
  return config;
}

std::string text_of(const Usage& usage) {
  return fmt::format("{:.1f} MB, {} descriptors, {} threads",
                     static_cast<double>(usage.memory.resident_kib) / 1000.0, usage.descriptors,
                     usage.threads);
}

/// The daemon's usage, after a wait for delayed frees and closes.
Usage usage_at_rest(const Bench& bench) {
  std::this_thread::sleep_for(2s);
  return usage_of(bench.pid());
}

void measure_one_of_many(const std::string& binary) {
  Bench bench(binary, static_config("first"));
  for (int i = 0; i < kManyResources; ++i) {
    bench.wait_for(name_of(i), [](const Devices& devices) { return !devices.empty(); });
  }
  const Usage before = usage_at_rest(bench);
  int edits = 0;
  const auto reload = [&](const std::function<void()>& then) {
    const size_t mark = bench.kubelet().log().size();
    const std::string unit = fmt::format("edit{}", ++edits);
    const auto closed = bench.edit(static_config(unit));
    then();
    return bench.wait_for_unit(name_of(0), unit, true, mark) - closed;
  };
  std::vector<Nanoseconds> times;
  for (int i = 0; i < 100; ++i) times.push_back(reload([] {}));
  print_times("edit of 1 resource of 200 -> list (200 ms are debouncing)", times);
  print_figure("1 of 200, idle before", text_of(before));
  print_figure("1 of 200, idle after 100 reloads", text_of(usage_at_rest(bench)));
  for (int i = 0; i < 1000; ++i) reload([&] { bench.read_again(); });
  print_figure("1 of 200, idle after 1 000 more", text_of(usage_at_rest(bench)));
  size_t others = 0;
  for (int i = 1; i < kManyResources; ++i) others += bench.kubelet().history(name_of(i)).size() - 1;
  print_figure("1 of 200, lists of the other 199 resources", fmt::format("{}", others));
}

/// A configuration with 10 000 files as units of 100 resources. `all` is a value of all resources,
/// `one` a value of one of them.
std::string file_config(const std::string& files, int all, int one) {
  std::string config = header();
  for (int r = 0; r < 100; ++r) {
    config += fmt::format(
        "  - {{name: r{}, match: {{glob: {}/r{}/*}}, id: $(name), envs: {{ALL: \"{}\", ONE: "
        "\"{}\"}}}}\n",
        r, files, r, all, r == 7 ? one : 0);
  }
  return config;
}

void measure_peak(const std::string& binary) {
  const fake::TempDir files;
  for (int r = 0; r < 100; ++r) {
    for (int i = 0; i < 100; ++i) files.write(fmt::format("r{}/unit-{}-{}", r, r, i), "");
  }
  Bench bench(binary, file_config(files.path(), 0, 0));
  for (int r = 0; r < 100; ++r) {
    bench.wait_for(name_of(r), [](const Devices& devices) { return devices.size() == 100; });
  }
  const long steady = usage_at_rest(bench).memory.resident_kib;
  const auto peak = [&](const std::string& what, int all, int one) {
    forget_peak_of(bench.pid());
    bench.edit(file_config(files.path(), all, one));
    const auto is_applied = [&] {
      const auto answer = bench.kubelet().allocate(name_of(7), {"unit-7-1"});
      return answer && answer->envs().at("ALL") == std::to_string(all) &&
             answer->envs().at("ONE") == std::to_string(one);
    };
    if (!fake::wait_until(is_applied)) throw std::runtime_error("the edit is not applied");
    const long rest = usage_at_rest(bench).memory.resident_kib;
    const long highest = peak_of(bench.pid());
    print_figure(what, fmt::format("{:.1f} MB idle, peak {:.1f} MB (x {:.2f}), then {:.1f} MB",
                                   static_cast<double>(steady) / 1000.0,
                                   static_cast<double>(highest) / 1000.0,
                                   static_cast<double>(highest) / static_cast<double>(steady),
                                   static_cast<double>(rest) / 1000.0));
  };
  for (int i = 1; i <= 3; ++i) peak("10 000 files, edit of 1 resource of 100", 0, i);
  for (int i = 1; i <= 3; ++i) peak("10 000 files, edit of all 100 resources", i, 3);
}

}  // namespace

void measure_reload(const std::string& binary) {
  measure_one_of_many(binary);
  measure_peak(binary);
}

}  // namespace patchbay::bench
